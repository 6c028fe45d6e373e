const nodeOf: Readonly<Record<string, number>> = { 115: 20, 127: 22, 131: 23, 137: 24, 141: 25, 147: 26 }

const versions = /NODE_MODULE_VERSION (\d+)/g
const missingPart = /Could not locate the bindings file|Could not load the "sharp" module|native binding/
const packageName = /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)|the "(sharp)" module/

/**
 * Says which package has no compiled part that this Node can load, and what to do; undefined for any other error. A
 * folder `node_modules` is for the version of Node and the system that installed it.
 */
export function installationProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? error.code : undefined
  // The installed one and the running one.
  const [first, second] = error.message.matchAll(versions)
  const version = second && first?.[1]
  if (version === undefined && code !== 'ERR_DLOPEN_FAILED' && !missingPart.test(error.message))
    return installationProblem(error.cause)
  const [, found, sharp = 'a package'] = packageName.exec(`${error.message}\n${error.stack}`) ?? []
  const name = found ?? sharp
  return version === undefined
    ? `${name} was installed without a part that runs here: run npm rebuild`
    : `${name} was installed for Node ${nodeOf[version] ?? `with modules of version ${version}`}, and this is Node ${process.versions.node}: run npm rebuild`
}
