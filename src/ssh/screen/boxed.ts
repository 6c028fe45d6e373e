import type { Area } from './grid.js'

/** Draws a box around an area. @returns the area inside */
export function boxed(area: Area, title?: string): Area {
  area.box(0, 0, area.width, area.height, title)
  return area.part(2, 1, area.width - 4, area.height - 2)
}
