import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { TestApp } from './app.js'
import { whenDone } from './when-done.js'

export interface Agent {
  readonly client: Client
  /** Calls a tool. @returns its answer, parsed, and whether it was refused */
  use(tool: string, given?: Record<string, unknown>): Promise<{ isRefused: boolean; answer: Answer }>
}

// biome-ignore lint/suspicious/noExplicitAny: answers of tools have many shapes
type Answer = any

/** Connects the official client to the server for agents, with a key. */
export async function agentWith(
  { app }: Pick<TestApp, 'app'>,
  key: string,
  versionNegotiation?: { mode: 'legacy' | 'auto' },
): Promise<Agent> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    versionNegotiation ? { versionNegotiation } : {},
  )
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/api/mcp'), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
    fetch: async (input, init) => app.fetch(new Request(input, init), { address: '127.0.0.1' }),
  })
  await client.connect(transport)
  whenDone(() => client.close())
  return {
    client,
    async use(name, given = {}) {
      const { content, isError } = await client.callTool({ name, arguments: given })
      const [first] = content
      const text = first?.type === 'text' ? first.text : ''
      return { isRefused: isError === true, answer: parsed(text) }
    },
  }
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
