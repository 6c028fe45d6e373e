import { Notes } from '../../../services/import/notes.js'
import { UnreadRecords } from '../../../services/import/unread.js'

const sentences = {
  notTaken: 'Items of the site itself are left out',
  trash: 'Posts in the trash are left out',
  comments: 'Comments of visitors are left out',
  private: 'Private posts become drafts',
  protected: 'Posts with a password become drafts, because pages cannot have a password',
  statuses: 'Posts with a status of a plugin become drafts',
  sticky: 'Sticky posts become ordinary posts',
  menuOrder: 'The manual order (menu_order) is left out',
  samePath: 'Pages whose address is taken get a number at the end of it',
  otherSlug: 'The slugs of entries change to the last part of their address',
  titles: 'Titles with HTML become plain text',
  excerpts: 'Excerpts with HTML become plain text',
  elements: 'Elements that rich text does not support are left out',
  frames: 'Frames of sites that rich text does not allow are left out',
  dynamicBlocks: 'Blocks that WordPress renders on request are left out',
  shortcodes: 'Shortcodes stay as text',
  bounds: 'Texts exceed the limits of rich text, and must be shortened',
  privateMetas: 'Values of plugins, whose names begin with "_", are left out',
  phpObjects: 'Serialized PHP values stay as text',
  manyFields: 'Custom fields beyond the first 500 of a type are left out',
  renamed: 'Custom fields get a different name',
  missingFiles:
    'References to files that the export does not have are left out: export all content, with media',
  missingEntries: 'References to entries that the export does not have are left out',
  maybeFiles: 'Fields may refer to images, of which the export has only the ids',
  nestedReferences:
    'Fields with rows or groups become JSON fields, in which images and posts are the ids of WordPress',
  localTimes: 'Fields with times without a zone are read as UTC',
  filesWithoutUrl: 'Files without an address are left out',
}

const maxName = 80

/** Counts records that are not imported. */
export class WordpressNotes {
  private readonly notes = new Notes()
  readonly unread = new UnreadRecords(this.notes)

  /** @param name of what it is about @param times how often it occurs there */
  count(kind: keyof typeof sentences, name?: string, times = 1): void {
    if (times > 0) this.notes.add(sentences[kind], name?.replaceAll(/\s+/g, ' ').slice(0, maxName), times)
  }

  get sentences(): string[] {
    return this.notes.sentences
  }
}
