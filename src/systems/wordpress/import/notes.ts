import { Notes } from '../../../services/import/notes.js'
import { UnreadRecords } from '../../../services/import/unread.js'

const sentences = {
  notTaken: 'Items of the site itself are left out',
  trash: 'Posts in the trash are left out',
  comments: 'Comments are left out, because Slugline has no comments',
  private: 'Private posts are drafts here',
  protected: 'Posts with a password are drafts here, for pages have no passwords',
  statuses: 'Posts with a status of a plugin are drafts here',
  sticky: 'Sticky posts are ordinary ones here',
  menuOrder: 'Places in an order by hand (menu_order) are left out',
  samePath: 'Addresses that another entry has got a number at the end',
  otherSlug: 'Entries are known by the last part of their address, and not by their slug',
  titles: 'Titles with HTML are plain text here',
  excerpts: 'Excerpts with HTML are plain text here',
  elements: 'Elements that rich text does not have are left out',
  dynamicBlocks: 'Blocks that WordPress fills when a page is shown are left out',
  shortcodes: 'Shortcodes stay as text',
  bounds: 'Texts are beyond the bounds of rich text, and must be made shorter',
  privateMetas: 'Values of plugins, whose names begin with "_", are left out',
  phpObjects: 'Values that PHP has written cannot be read, and stay as text',
  manyFields: 'Custom fields beyond the first 500 of a type are left out',
  renamed: 'Custom fields have another name here',
  missingFiles:
    'References to files that the export does not have are left out: export all content, with media',
  missingEntries: 'References to entries that the export does not have are left out',
  maybeFiles: 'Fields may have pictures, of which the export has numbers only',
  nestedReferences:
    'Fields with rows or groups are JSON here, in which pictures and posts are the numbers of WordPress',
  localTimes: 'Fields with times without a zone are read as UTC',
  termMetas: 'Values of terms are left out',
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
