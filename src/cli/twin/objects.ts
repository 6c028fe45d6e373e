import { readFile } from 'node:fs/promises'
import type { Bucket } from '../../ports.js'
import { Semaphore } from '../../semaphore.js'

/** So many objects are stored at the same time. */
const atOnce = 8
const json = 'application/json'

/** The objects of one twin in a bucket. Each but the root is stored once, whole, and never changed. */
export class TwinObjects {
  readonly #writing = new Semaphore(atOnce)
  readonly #known = new Set<string>()

  /** @param prefix in front of the keys, with a slash at its end, or `''` */
  constructor(
    private readonly bucket: Bucket,
    private readonly prefix: string,
  ) {}

  /** Reads which objects there are. */
  async open(): Promise<void> {
    for (const part of ['shards/', 'bodies/'])
      for await (const found of this.bucket.list(this.prefix + part))
        for (const { key } of found) this.#known.add(key.slice(this.prefix.length))
  }

  get names(): ReadonlySet<string> {
    return this.#known
  }

  async read<T>(name: string): Promise<T | undefined> {
    const file = await this.bucket.fetch(this.prefix + name)
    if (!file) return undefined
    try {
      return JSON.parse(await readFile(file.path, 'utf8')) as T
    } finally {
      await file.discard()
    }
  }

  /** Stores an object unless it is there. */
  async keep(name: string, content: Uint8Array, mimetype = json): Promise<void> {
    if (this.#known.has(name)) return
    await this.#writing.run(async () => {
      if (this.#known.has(name)) return
      await this.bucket.put(this.prefix + name, content, { mimetype, attachment: false })
      this.#known.add(name)
    })
  }

  async replace(name: string, value: unknown): Promise<void> {
    const content = Buffer.from(JSON.stringify(value))
    await this.bucket.put(this.prefix + name, content, {
      mimetype: json,
      attachment: false,
      replaceable: true,
    })
  }

  async remove(names: readonly string[]): Promise<void> {
    const failed = new Set(await this.bucket.remove(names.map(name => this.prefix + name)))
    for (const name of names) if (!failed.has(this.prefix + name)) this.#known.delete(name)
  }
}
