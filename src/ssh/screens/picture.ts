import type { Pixels } from '../../ports.js'
import { t } from '../../texts/terminal.js'
import type { Area } from '../screen/grid.js'
import { dim, type Rgb } from '../screen/style.js'
import type { View } from '../screen/view.js'
import { wrapped } from '../screen/wrap.js'
import type { Session } from '../session.js'

/** The largest picture, in points: a cell has two above each other. Its frame is some 60 kB. */
const largest = { width: 72, height: 64 }

interface PictureState {
  readonly pixels: Pixels | undefined
}

interface Shown {
  readonly media_id: string
  readonly name: string
  readonly facts: string
  readonly url: string
}

function drawPicture(area: Area, { width, height, rgb }: Pixels): void {
  const scale = Math.min(1, area.width / width, (2 * area.height) / height)
  const [columns, rows] = [Math.floor(width * scale), Math.ceil((height * scale) / 2)]
  const pointAt = (x: number, y: number): Rgb => {
    const [fromX, fromY] = [Math.floor(x / scale), Math.min(height - 1, Math.floor(y / scale))]
    const at = 3 * (fromY * width + fromX)
    return [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0]
  }
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) area.paint(1 + x, y, pointAt(x, 2 * y), pointAt(x, 2 * y + 1))
}

/** A picture in half blocks, on a terminal with 24-bit colours; elsewhere the address. */
export function pictureView(session: Session, { media_id, name, facts, url }: Shown): View<PictureState> {
  return {
    title: () => name,
    start: { pixels: undefined },
    shown: (shell, { pixels }) =>
      pixels === undefined &&
      shell.work('media:read', async () => {
        const read = await session.services.media.items.pixels(media_id, largest)
        return () => ({ pixels: read })
      }),
    update: state => state,
    draw(area, { pixels }) {
      area.put(1, 0, facts, dim)
      area.link(1, 1, area.put(1, 1, url, dim), url)
      const body = area.part(0, 3, area.width, area.height - 3)
      if (!area.hasPictures) {
        const why = t(
          'Pictures need a terminal with 24-bit colours. If yours has them: ssh -o SetEnv=COLORTERM=truecolor',
        )
        for (const [y, row] of wrapped(why, body.width - 2).entries()) body.put(1, y, row)
      } else if (pixels) drawPicture(body.part(0, 0, body.width - 1, body.height), pixels)
    },
    hints: () => [{ key: 'q', does: t('back') }],
  }
}
