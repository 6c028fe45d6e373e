import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import type { Ports } from '../../ports.js'
import type { AccessService } from '../accounts/access.js'
import type { content } from '../content/content.js'
import type { publishing } from '../content/publishing.js'
import type { PendingWork } from '../operation/pending-work.js'
import { comments } from './comments.js'
import { reviewMails } from './mails.js'
import { people } from './people.js'
import { proposals } from './proposals.js'
import { reviewRequests } from './requests.js'

interface Needs extends Pick<Ports, 'mail' | 'log'> {
  db: Database
  config: () => Config
  access: AccessService
  pending: PendingWork
  publishing: Pick<ReturnType<typeof publishing>, 'publish'>
  content: Pick<ReturnType<typeof content>, 'createPage' | 'update'>
}

/** Comments on content of the public space, and requests to publish it. */
export function reviewServices(needs: Needs) {
  const { db, access, publishing, content } = needs
  const who = people(db, access)
  reviewMails(db, { ...needs, people: who })
  return {
    comments: comments(db, { access, people: who }),
    reviewRequests: reviewRequests(db, { access, publishing, people: who }),
    proposals: proposals({ content, people: who }),
  }
}
