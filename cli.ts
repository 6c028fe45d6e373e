#!/usr/bin/env node
import { run } from './src/cli/index.js'
import { surviveClosedOutput } from './src/node/log.js'

surviveClosedOutput()
await run(process.argv.slice(2))
