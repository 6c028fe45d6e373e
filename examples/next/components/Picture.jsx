import { image } from '@slugline/client'

/** @param sizes how wide the picture is shown, as the attribute `sizes` says it */
export function Picture({ media, sizes }) {
  const shown = image(media, { sizes })
  if (!shown) return null
  const { srcset, style: _, ...img } = shown.img
  const { focal } = media
  const style = {
    backgroundColor: shown.color,
    objectPosition: focal ? `${focal.x}% ${focal.y}%` : undefined,
  }
  return (
    <picture>
      {shown.sources.map(({ type, srcset, sizes }) => (
        <source key={type} type={type} srcSet={srcset} sizes={sizes} />
      ))}
      {/* biome-ignore lint/a11y/useAltText: the attributes have the alternative text */}
      <img {...img} srcSet={srcset} style={style} loading="lazy" />
    </picture>
  )
}
