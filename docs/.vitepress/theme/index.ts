import { useRoute } from 'vitepress'
import theme from 'vitepress/theme'
import { nextTick, onMounted, watch } from 'vue'
import './style.css'

/** Puts a player under each link to a recording of a terminal; without scripts the link downloads it. */
async function showRecordings(): Promise<void> {
  const links = document.querySelectorAll<HTMLAnchorElement>('.vp-doc a[href$=".cast"]:not([data-shown])')
  if (links.length === 0) return
  const [player] = await Promise.all([
    import('asciinema-player'),
    import('asciinema-player/dist/bundle/asciinema-player.css'),
  ])
  for (const link of links) {
    link.dataset.shown = ''
    const place = document.createElement('div')
    link.closest('p')?.after(place)
    player.create(link.href, place, { idleTimeLimit: 2, poster: 'npt:0:04', fit: 'width' })
  }
}

export default {
  extends: theme,
  setup() {
    const route = useRoute()
    onMounted(showRecordings)
    watch(
      () => route.path,
      () => nextTick(showRecordings),
    )
  },
}
