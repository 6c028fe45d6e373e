import { baseKeymap } from 'prosemirror-commands'
import { dropCursor } from 'prosemirror-dropcursor'
import { gapCursor } from 'prosemirror-gapcursor'
import { history } from 'prosemirror-history'
import { keymap } from 'prosemirror-keymap'
import type { Plugin } from 'prosemirror-state'
import { tableEditing } from 'prosemirror-tables'
import { t } from '../text.js'
import { bubbleMenu } from './bubble.js'
import { keys } from './commands.js'
import { rules } from './input-rules.js'
import { slashItems, slashMenu } from './slash.js'

/** Dialogs, menus and views that open outside of the text. */
export interface Tools {
  link(): void
  image(): void
  toolbar(): void
  /** Leaves the full page. @returns whether the text was shown so */
  leave(): boolean
}

const always = (run: () => void) => () => {
  run()
  return true
}

/** Plugins of the editor of a field: menu, input rules, keys and paste. */
export const pluginsFor = ({ link, image, toolbar, leave }: Tools, icons: string, id: string): Plugin[] => [
  slashMenu(
    slashItems([
      { label: t('Image'), icon: 'media', words: 'picture photo', run: image },
      { label: t('Link'), icon: 'link', words: 'address url', run: link },
    ]),
    `slash-${id}`,
    icons,
  ),
  bubbleMenu(icons, link),
  keymap({ 'Mod-k': always(link), 'Alt-F10': always(toolbar), Escape: () => leave() }),
  keymap(keys),
  keymap(baseKeymap),
  history(),
  rules,
  dropCursor(),
  gapCursor(),
  tableEditing(),
]
