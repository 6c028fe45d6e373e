import { lookup } from 'node:dns/promises'
import { buildConnector } from 'undici'

/** The network functions that calls to other servers use; tests give their own. */
export interface Network {
  resolve(host: string): Promise<{ address: string; family: number }[]>
  connector(
    addresses: readonly { address: string; family: number }[],
    timeoutMs: number,
  ): buildConnector.connector
}

export const network: Network = {
  resolve: host => lookup(host, { all: true }),
  connector: (addresses, timeout) =>
    buildConnector({
      timeout,
      lookup: (host, options, done) => {
        const [first] = addresses
        if (options.all) done(null, [...addresses])
        else if (first) done(null, first.address, first.family)
        else done(new Error(`the host name ${host} cannot be resolved`), '', 0)
      },
    }),
}
