import { maxAddressCharacters, maxSlugBytes } from './request-paths.js'

/**
 * The limits that users of the product can reach. `npm run docs` writes docs/limits.md from the comments here. Names end
 * in their unit: `Bytes`, `Ms`, or what is counted.
 */
export const limits = {
  /** Requests */
  requests: {
    /** Body of a request, except for files. */
    bodyBytes: 5 * 2 ** 20,
    /** Body of a request that needs no credentials. */
    anonymousBodyBytes: 64 * 2 ** 10,
    /** Members of a form, with a session. */
    formMembers: 5000,
    /** Members of a form, without a session. */
    anonymousFormMembers: 1000,
    /** Levels of arrays and objects in a JSON text. */
    jsonLevels: 64,
    /** Values in a JSON text. */
    jsonValues: 120_000,
    /** Objects in a JSON text. */
    jsonObjects: 40_000,
    /** Different names of members in a JSON text. */
    jsonNames: 20_000,
    /** Path and query of a request. */
    addressCharacters: maxAddressCharacters,
    /** Connections of one process, if the file descriptors suffice. */
    connections: 10_000,
  },
  /** Content */
  content: {
    /** Slug of a page. */
    slugBytes: maxSlugBytes,
    /** Entries that one request copies, publishes or saves as a version. */
    treeEntries: 5000,
    /** Field values that one request copies, publishes or saves as a version. */
    treeValues: 20_000,
    /** Entries that one request moves or deletes. */
    bulkEntries: 20_000,
    /** Field values that one request moves or deletes. */
    bulkValues: 80_000,
    /** Records that one action on a selection changes, or one command. */
    selectedRecords: 200,
    /** Characters of the field values in one of these requests. */
    treeCharacters: 16_000_000,
    /** Regular expression in the rules of a field. */
    patternCharacters: 500,
    /** Rich text of one value. */
    richTextCharacters: 500_000,
    /** Redirects that lead to one URL. */
    redirectsToOne: 1000,
    /** Preview links of one page. */
    previewLinksOfPage: 100,
    /** Examples of values that break the rules of a field. */
    brokenValueExamples: 20,
  },
  /** Roles */
  roles: {
    /** Names in one member of the limits of a role or an API key. */
    namesInLimits: 100,
  },
  /** Agents */
  agents: {
    /** Characters of one answer to an agent. */
    answerCharacters: 400_000,
    /** Records in one list for an agent. */
    listed: 100,
    /** Proposals of one user that wait for a review. */
    openProposals: 100,
  },
  /** Model files */
  model: {
    /** Locales in a model file. */
    locales: 200,
    /** Datatypes in a model file. */
    datatypes: 1000,
    /** Fields of all datatypes in a model file. */
    fields: 5000,
    /** Fields with values whose rules one model file changes. */
    changedRules: 200,
    /** Roles in a model file. */
    roles: 200,
    /** Permissions of a role in a model file. */
    permissions: 1000,
    /** Webhooks in a model file. */
    webhooks: 200,
  },
  /** Pages */
  pages: {
    /** Entries with their fields in one response. */
    entries: 5000,
    /** Relations and media in one response. */
    references: 50_000,
    /** Characters of values in one response. */
    characters: 16_000_000,
    /** Paths in `expand`. */
    expandPaths: 20,
    /** Levels of one path in `expand`. */
    expandLevels: 3,
    /** URLs in one sitemap, where the protocol allows 50,000. A larger site gets an index of several. */
    sitemapUrls: 2000,
    /** Alternate URLs of other locales in one sitemap. */
    sitemapAlternates: 300_000,
    /** Pages in /llms.txt, each in every locale. Beyond them it links to the sitemap. */
    llmsPages: 500,
    /** Characters of /llms.txt. Beyond them it links to the sitemap. */
    llmsCharacters: 100_000,
  },
  /** Queries */
  query: {
    /** Entries on one page of results. */
    limit: 200,
    /** Entries on one page of results if `limit` is missing. */
    standardLimit: 25,
    /** Entries that `offset` can skip. */
    offset: 10_000,
    /** Conditions in one filter. */
    conditions: 20,
    /** Levels of `and` and `or`. */
    groups: 4,
    /** Values of one `in`. */
    values: 100,
    /** Characters of one value. */
    valueCharacters: 1000,
    /** Conditions with `contains`, each of which reads the whole text of every entry. */
    searches: 3,
    /** Characters that one `contains` looks for. */
    searchCharacters: 200,
    /** Names in `sort`. */
    sorts: 4,
    /** Levels of child entries. */
    children: 10,
  },
  /** Search */
  search: {
    /** Characters of `q`. */
    characters: 200,
    /** Different words of `q`. */
    words: 12,
    /** Datatypes in `type`. */
    types: 20,
    /** Entries on one page of results. */
    limit: 50,
    /** Entries on one page of results if `limit` is missing. */
    standardLimit: 20,
    /** Entries that are sorted and shown: the newest ones if more match. */
    ranked: 1000,
    /** Results that `count=true` counts. */
    counted: 10_000,
    /** Excerpts of one result. */
    highlights: 3,
  },
  /** Media */
  media: {
    /** Pixels of one side of an image. */
    sidePixels: 20_000,
    /** Pixels of all frames of an image. */
    pixels: 500_000_000,
    /** Pixels of an image that must be decoded as a whole to get variants. */
    pixelsDecodedWhole: 100_000_000,
    /** Frames of an animation. */
    frames: 2000,
    /** Levels of folders. */
    folderLevels: 10,
    /** Image sizes. */
    presets: 20,
    /** Tags of one file. */
    tags: 20,
    /** Characters of a tag. */
    tagLength: 40,
    /** File name. */
    nameBytes: 180,
  },
  /** Webhooks and live changes */
  webhooks: {
    /** Headers of one webhook. */
    headers: 64,
    /** Value of one header. */
    headerCharacters: 4096,
    /** Names in each member of a filter. */
    namesInFilter: 100,
    /** Deliveries that one request sends again. */
    replayed: 10_000,
    /** Template of a body. */
    templateCharacters: 8192,
    /** Body that is made of a template. */
    bodyBytes: 65_536,
    /** Response of a receiver that is read. */
    answerBytes: 65_536,
    /** Beginning of a response that is kept with the delivery. */
    keptAnswerCharacters: 2000,
    /** Longest `Retry-After` of a receiver that counts. */
    retryAfterMs: 3_600_000,
    /** Pages in one event. An event about more has `all_pages`. */
    pagesInEvent: 1000,
    /** Open streams of one user. */
    streamsOfUser: 20,
    /** Open streams of one preview link. */
    streamsOfLink: 50,
    /** Changes that are stored for streams. */
    storedChanges: 100_000,
  },
  /** Imports that requests start */
  imports: {
    /** Uploaded or downloaded export. */
    fileBytes: 2 ** 30,
    /** Files of an archive, unpacked. */
    unpackedBytes: 8 * 2 ** 30,
    /** Number of files in an archive. */
    files: 200_000,
    /** One file of Markdown or settings: longer ones are left out. */
    pageBytes: 2 ** 20,
    /** One file of records that is read as a whole. */
    recordsBytes: 2 ** 27,
    /** Memory of the process, apart from files and buffers, in MiB. */
    memoryMiB: 1024,
    /** Longest run; then it fails, and can be started again. */
    runMs: 6 * 3_600_000,
    /** Characters of one row of the report. */
    rowCharacters: 16_384,
  },
  /** Accounts */
  accounts: {
    /** Saved views that a user has of one list. */
    savedViews: 50,
    /** Query of a saved view. */
    savedViewCharacters: 2000,
    /** Valid reset links of one user. */
    resetLinks: 5,
    /** Passwords that are hashed at a time. */
    runningHashes: 4,
    /** Passwords that wait to be hashed. A request beyond that returns 503. */
    waitingHashes: 64,
    /** Wrong codes of one second factor in a day. Beyond that only recovery codes are accepted. */
    wrongCodes: 20,
    /** Recovery codes of one second factor. */
    recoveryCodes: 10,
    /** Passkeys of one account. */
    passkeys: 20,
    /** Challenges for passkeys that wait for an answer at a time. */
    openPasskeyChallenges: 10_000,
    /** Sign-ins with an OAuth provider that are open at a time. */
    openSignIns: 10_000,
    /** The highest rate limit of an API key: requests in a minute. The lowest is 1. */
    requestsOfKey: 100_000,
    /** Sign-ins of command lines that wait for an approval. */
    openDeviceSignIns: 1000,
    /** Sign-ins of command lines at one IP address that wait for an approval. */
    openDeviceSignInsOfAddress: 20,
  },
  /** Commands from other machines */
  commands: {
    /** One call: its words, options and answers. */
    callBytes: 64 * 2 ** 10,
    /** Commands of one user that run at a time. */
    ofUser: 10,
  },
  /** Terminal over SSH */
  ssh: {
    /** Connections that are not signed in yet. */
    connections: 100,
    /** Connections of one IP address that are not signed in yet. */
    connectionsOfAddress: 10,
    /** New connections of one IP address in a minute. */
    connectionsInMinute: 60,
    /** Failed sign-in attempts of one connection. */
    attempts: 6,
    /** Channels of one connection. */
    channels: 10,
    /** Connections of guests at once. */
    guests: 20,
    /** Connections of guests of one IP address at once. */
    guestsOfAddress: 3,
    /** Channels of one connection of a guest. */
    guestChannels: 2,
    /** Minutes until the connection of a guest ends. */
    guestMinutes: 30,
    /** Open files of one SFTP channel. */
    openFiles: 16,
    /** Items of one folder that SFTP lists. */
    listedItems: 10_000,
    /** Text that is pasted at once. */
    pasteBytes: 5 * 2 ** 20,
  },
} as const
