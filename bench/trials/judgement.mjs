// What a trial found, line by line, beside what is wanted.
export class Judgement {
  lines = []
  /** Adds a line. @param isRight undefined for a figure that nothing is wanted of */
  add(what, wanted, found, isRight) {
    this.lines.push([what, wanted, String(found), isRight === undefined ? '' : isRight ? 'ok' : 'BROKEN'])
  }
  get isBroken() {
    return this.lines.some(line => line[3] === 'BROKEN')
  }
  print() {
    const rows = [['', 'wanted', 'found', ''], ...this.lines]
    const widths = [0, 1].map(i => Math.max(...rows.map(row => row[i].length)))
    for (const [what, wanted, found, verdict] of rows)
      process.stdout.write(
        `${verdict.padEnd(7)}${what.padEnd(widths[0])}  ${wanted.padEnd(widths[1])}  ${found}\n`,
      )
  }
}

export const at = (values, part) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(part * (sorted.length - 1))] ?? 0
}
/** Returns the median, the 99th of 100 and the largest, in milliseconds. */
export const spread = values =>
  values.length === 0
    ? 'none'
    : `${values.length}: p50 ${at(values, 0.5).toFixed(0)}, p99 ${at(values, 0.99).toFixed(0)}, max ${Math.max(...values).toFixed(0)} ms`
