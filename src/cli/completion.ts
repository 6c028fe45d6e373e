import { badRequest } from '../errors.js'
import type { LocalCommand, Words } from './command.js'
import { groups } from './site-commands.js'

interface Place {
  readonly path: string
  readonly next: ReadonlyMap<string, string>
  readonly options: ReadonlyMap<string, string>
}

function placesOf(commands: readonly Words[]): Place[] {
  const places = new Map<string, { next: Map<string, string>; options: Map<string, string> }>()
  const at = (path: string) => {
    const place = places.get(path) ?? { next: new Map(), options: new Map([['--help', 'show the help']]) }
    places.set(path, place)
    return place
  }
  for (const { words, summary, options = {}, isHidden } of commands) {
    if (isHidden) continue
    const parts = words.split(' ')
    for (const [i, word] of parts.entries()) {
      const isLast = i === parts.length - 1
      at(parts.slice(0, i).join(' ')).next.set(word, isLast ? summary : (groups[word] ?? ''))
    }
    for (const [flags, meaning] of Object.entries(options))
      at(words).options.set(flags.split(' ')[0] ?? flags, meaning)
  }
  return [...places]
    .map(([path, place]) => ({ path, ...place }))
    .sort((a, b) => b.path.split(' ').length - a.path.split(' ').length || (a.path < b.path ? -1 : 1))
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const patternOf = ({ path, next }: Place) =>
  next.size > 0 ? quoted(path) : `${quoted(path)}|${quoted(`${path} `)}*`

const bash = (places: readonly Place[]) => `# bash completion for slugline
_slugline() {
  local current=\${COMP_WORDS[COMP_CWORD]} path= next= options= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) path="$path\${path:+ }$word" ;; esac
  done
  case $path in
${places
  .map(
    place =>
      `    ${patternOf(place)}) next=${quoted([...place.next.keys()].join(' '))} options=${quoted([...place.options.keys()].join(' '))} ;;`,
  )
  .join('\n')}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$next" -- "$current")) ;;
  esac
}
complete -o default -F _slugline slugline
`

const described = (entries: ReadonlyMap<string, string>) =>
  [...entries].map(([word, meaning]) => quoted(`${word.replaceAll(':', '\\:')}:${meaning}`)).join(' ')

const zsh = (places: readonly Place[]) => `#compdef slugline
# zsh completion for slugline
_slugline() {
  local -a next options
  local place="\${(j: :)\${(@)words[2,CURRENT-1]:#-*}}"
  case $place in
${places
  .map(
    place =>
      `    ${patternOf(place)}) next=(${described(place.next)}) options=(${described(place.options)}) ;;`,
  )
  .join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( $#next )); then
    _describe command next
  else
    _files
  fi
}
compdef _slugline slugline
`

const fish = (places: readonly Place[]) => `# fish completion for slugline
function __slugline_at
    set -l words (commandline -opc)[2..]
    set -l place (string join ' ' -- (string match -v -- '-*' $words))
    test "$place" = "$argv[1]"
end
function __slugline_in
    set -l words (commandline -opc)[2..]
    string match -q -- "$argv[1]*" (string join ' ' -- (string match -v -- '-*' $words))
end
complete -c slugline -n '__slugline_at ""' -f
${places
  .flatMap(({ path, next, options }) => [
    ...[...next].map(
      ([word, meaning]) =>
        `complete -c slugline -n '__slugline_at "${path}"' -f -a ${word} -d ${quoted(meaning)}`,
    ),
    ...(path === ''
      ? []
      : [...options].map(
          ([option, meaning]) =>
            `complete -c slugline -n '__slugline_in "${path}"' -l ${option.slice(2)} -d ${quoted(meaning)}`,
        )),
  ])
  .join('\n')}
`

const shells: Readonly<Record<string, (places: readonly Place[]) => string>> = { bash, zsh, fish }

/** Writes the completion of a shell for a table of commands. */
export const completion =
  (commands: readonly Words[]): LocalCommand['run'] =>
  async (terminal, _options, [shell = '']) => {
    const write = Object.hasOwn(shells, shell) ? shells[shell] : undefined
    if (!write) throw badRequest(`unknown shell ${shell}: use bash, zsh or fish`)
    terminal.write(write(placesOf(commands)))
    return 0
  }
