import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns the path of a program; undefined if it is not installed. Administrators' programs may not be in the PATH. */
export const programPath = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map(folder => join(folder, name))
    .find(path => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
