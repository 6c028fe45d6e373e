import { actorOf } from '../../middleware/context.js'
import { ReviewApprove, ReviewCreate, ReviewReturn, ReviewWithdraw } from '../../services/review/requests.js'
import type { ApiContext } from '../context.js'
import { listRoute } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

const access = 'content:update'
const publish = 'content:publish'

/** Requests to publish a tree, and their answers. */
export function reviewRequestRoutes({
  services: { reviewRequests },
  authentication,
  recordResponses,
}: ApiContext) {
  const api = endpoints('review requests', authentication)
  const path = '/review-requests'
  const { table } = reviewRequests
  const answers = { shape: { table } }
  listRoute(
    { api, path, permission: { read: access, write: access }, service: reviewRequests, recordResponses },
    ['content_data_id', 'status', 'author_id'],
  )
  api.post(
    path,
    access,
    {
      summary: 'Request a review of a tree',
      body: ReviewCreate,
      answers: { ...answers, status: 201 },
    },
    async (c, { body }) =>
      recordResponses.written(c, actor => reviewRequests.create(actor, body), { status: 201 }),
  )
  api.post(
    `${path}/approve`,
    publish,
    { summary: 'Approve a request, which publishes the tree', body: ReviewApprove, answers },
    async (c, { body }) => recordResponses.answer(c, await reviewRequests.approve(actorOf(c), body)),
  )
  api.post(
    `${path}/return`,
    publish,
    { summary: 'Send a request back with a note', body: ReviewReturn, answers },
    async (c, { body }) => recordResponses.written(c, actor => reviewRequests.sendBack(actor, body)),
  )
  api.post(
    `${path}/withdraw`,
    access,
    { summary: 'Withdraw your own request', body: ReviewWithdraw, answers },
    async (c, { body }) => recordResponses.written(c, actor => reviewRequests.withdraw(actor, body)),
  )
  return api
}
