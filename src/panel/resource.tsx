import type { Child } from 'hono/jsx'
import type { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import { type Check, editedPart, type Resource, type Viewer } from '../resources/resource.js'
import { fieldTime } from '../resources/times.js'
import type { Access } from '../services/accounts/access.js'
import type { PlainText } from '../texts/text.js'
import { wordingOf } from '../texts/wording.js'
import { columnsOf } from './cells.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { type Crumb, Page, TitledPage } from './layout.js'
import { List, sliceOf } from './list.js'
import { type Draft, type Html, pages, saved, showPage, type Texts } from './pages.js'
import { DeleteDialog, DeleteLink, DeleteQuestion, Form, Note, Submit } from './parts.js'
import { readOnly } from './read-only.js'
import { markOf, unlessChanged } from './record-mark.js'
import { panelActor, type View } from './view.js'

/** A resource with the parts that only its pages have. */
export interface PageResource<R extends object> extends Omit<Resource<R>, 'fields'> {
  readonly path: `/${string}`
  readonly ownList?: true
  /** The breadcrumbs, if they are not only the list. @param record undefined for a new one */
  crumbs?(view: View, record: R | undefined, c: Ctx): Promise<readonly Crumb[]>
  /** @param record undefined for a new one */
  fields(record: R | undefined, viewer: Viewer): readonly Field[] | Promise<readonly Field[]>
  more?(view: View, record: R, c: Ctx): Child | Promise<Child>
  /** @param draft of a refused form in this part */
  before?(view: View, record: R, draft?: Draft): Child | Promise<Child>
  side?(view: View, record: R): Child | Promise<Child>
  /** A script that the page of a record needs beside that of every page. */
  readonly script?: string
  /** The heading of the form, if other parts stand before it. */
  readonly formTitle?: PlainText
  actions?(view: View, record: R): Child
  made?(view: View, record: R): Html
}

const viewerOf = (view: View, c: Ctx, typed?: Texts): Viewer => {
  const under = c.req.query('of')
  return {
    actor: panelActor(c),
    ...wordingOf(view),
    can: view.can,
    now: view.now,
    ...(under ? { under } : {}),
    ...(typed ? { typed } : {}),
  }
}

/** Returns the fields of a record for the browser, whose controls for times have no zone. */
async function fieldsOf<R extends object>(
  { fields }: PageResource<R>,
  record: R | undefined,
  viewer: Viewer,
): Promise<Field[]> {
  const members = (record ?? {}) as Readonly<Record<string, unknown>>
  return (await fields(record, viewer)).map(field =>
    field.kind === 'datetime' && field.value === undefined
      ? { ...field, value: fieldTime((members[field.name] ?? null) as string | null) }
      : field,
  )
}

/** The pages of a resource: the list, a form for a new record, one for each record, and its deletion. */
export function resourcePages<R extends object>(context: PanelContext, resource: PageResource<R>) {
  const set = pages(context, resource.title.toLowerCase())
  if (!resource.ownList) listPage(set, resource)
  if (resource.create && resource.service.create) newPages(set, resource)
  const drawRecord = recordPages(set, context, resource)
  if (resource.service.remove && resource.access.remove) deletePages(set, resource)
  return { ...set, drawRecord }
}

type Pages = ReturnType<typeof pages>

/** A field of a record that the user may not change; what was chosen is shown in words. */
const fixed = (field: Field, view: View): Field =>
  field.value !== undefined && (field.kind === 'choices' || field.kind === 'switch')
    ? { ...readOnly(field, view), ...(field.group === undefined ? {} : { group: field.group }) }
    : { ...field, kind: 'fixed' }

const crumbsOf = async <R extends object>(
  { title, path, crumbs }: PageResource<R>,
  record: R | undefined,
  view: View,
  c: Ctx,
): Promise<readonly Crumb[]> => (await crumbs?.(view, record, c)) ?? [{ word: view.t(title), path }]

function listPage<R extends object>({ get }: Pages, resource: PageResource<R>): void {
  const { path, title, words, access, service, key, columns, empty, about } = resource
  get(path, access.read, async (view, c) => {
    const seen = (await resource.reads?.(panelActor(c))) ?? service
    const slice = await sliceOf<R, never>(c, seen, {} as never, record => String(record[key]))
    const mayCreate = resource.create !== undefined && access.create !== undefined && view.can(access.create)
    return (
      <TitledPage
        view={view}
        title={view.t(title)}
        actions={
          mayCreate &&
          words.new && (
            <a class="button next" href={`${view.base}${path}/new`}>
              {view.t(words.new)}
            </a>
          )
        }
      >
        {about && <p class="lead">{view.t(about)}</p>}
        <List
          view={view}
          caption={view.t(title)}
          columns={columnsOf(columns)}
          slice={slice}
          path={path}
          pathOf={record => `${path}/${String(record[key])}`}
          empty={
            <>
              <p>{view.t(empty)}</p>
              {mayCreate && words.add && (
                <a class="button" href={`${view.base}${path}/new`}>
                  {view.t(words.add)}
                </a>
              )}
            </>
          }
        />
      </TitledPage>
    )
  })
}

function newPages<R extends object>({ get, submit }: Pages, resource: PageResource<R>): void {
  const { path, title, words, access, service, key } = resource
  const at = `${path}/new`
  const draw = async (view: View, c: Ctx, draft?: Draft) => (
    <TitledPage
      view={view}
      title={view.t(words.new ?? title)}
      crumbs={await crumbsOf(resource, undefined, view, c)}
      column
      actions={
        <Submit form="form" kind="next">
          {view.t('Create')}
        </Submit>
      }
    >
      <Form view={view} action={at} id="form" draft={at}>
        <Fields
          view={view}
          fields={await fieldsOf(resource, undefined, viewerOf(view, c, draft?.texts))}
          draft={draft}
        />
      </Form>
    </TitledPage>
  )
  const word = access.create ?? access.read
  get(at, word, (view, c) => draw(view, c))
  submit(at, word, resource.create as z.ZodType, async (c, view, sent) => ({
    names: (await fieldsOf(resource, undefined, viewerOf(view, c, sent))).map(({ name }) => name),
    prepare: texts => resource.prepare?.(texts) ?? texts,
    async save({ body }) {
      const record = (await service.create?.(panelActor(c), body as never)) as R
      if (resource.made) return showPage(c, resource.made(view, record))
      return saved(`${path}/${String(record[key])}`)
    },
    redraw: (view, draft) => draw(view, c, draft),
  }))
}

const idIn = (c: Ctx): string => idParam(c, 'record_id')

const LockedNote = ({ view, why }: { view: View; why: PlainText }) => (
  <Note view={view}>
    <p>{view.t(why)}</p>
  </Note>
)

function recordPages<R extends object>(
  { get, submit }: Pages,
  context: PanelContext,
  resource: PageResource<R>,
) {
  const { path, access, service, update } = resource
  const at = `${path}/:record_id`
  /** @param draft of the refused form @param before of a refused form in the part before it */
  const draw = async (view: View, c: Ctx, draft?: Draft, before?: Draft) => {
    const seen = (await resource.reads?.(panelActor(c))) ?? service
    const record = await seen.get(idIn(c))
    const fields = await fieldsOf(resource, record, viewerOf(view, c, draft?.texts))
    const why = resource.locked?.(record)
    const mayUpdate = update !== undefined && access.update !== undefined && view.can(access.update) && !why
    const mayRemove = service.remove && access.remove !== undefined && view.can(access.remove) && !why
    const own = `${path}/${idIn(c)}`
    const name = resource.nameOf(record)
    return (
      <TitledPage
        view={view}
        title={name}
        crumbs={await crumbsOf(resource, record, view, c)}
        column
        script={resource.script}
        side={await resource.side?.(view, record)}
        actions={
          <>
            {mayRemove && <DeleteLink view={view} path={`${own}/delete`} name={name} />}
            {resource.actions?.(view, record)}
            {mayUpdate && (
              <Submit form="form" kind="next">
                {view.t('Save')}
              </Submit>
            )}
          </>
        }
      >
        {why && <LockedNote view={view} why={why} />}
        {await resource.before?.(view, record, before)}
        {resource.formTitle && <h2>{view.t(resource.formTitle)}</h2>}
        {mayUpdate ? (
          <Form view={view} action={own} id="form" draft={own}>
            <Fields
              view={view}
              fields={fields}
              record={record as Record<string, unknown>}
              draft={draft}
              seen={markOf(context, editedPart(resource, record))}
            />
          </Form>
        ) : (
          <Fields
            view={view}
            fields={fields.map(field => fixed(field, view))}
            record={record as Record<string, unknown>}
          />
        )}
        {await resource.more?.(view, record, c)}
        {mayRemove && !resource.asksApart && (
          <DeleteDialog
            view={view}
            path={own}
            name={name}
            also={await resource.deletes?.(record, viewerOf(view, c))}
          />
        )}
      </TitledPage>
    )
  }
  get(at, access.read, (view, c) => draw(view, c))
  if (!update || !service.update || !access.update) return draw
  submit(at, access.update, update, async (c, view, sent) => {
    const record = await service.get(idIn(c))
    return {
      names: (await fieldsOf(resource, record, viewerOf(view, c, sent))).map(({ name }) => name),
      prepare: texts => resource.prepare?.(texts, record) ?? texts,
      async save({ body, seen }) {
        const check: Check = before => unlessChanged(context, seen)(editedPart(resource, before))
        await service.update?.(panelActor(c), idIn(c), body as never, check)
        return saved(`${path}/${idIn(c)}`)
      },
      redraw: (view, draft) => draw(view, c, draft),
    }
  })
  return draw
}

function deletePages<R extends object>({ get, act }: Pages, resource: PageResource<R>): void {
  const { path, words, access, service } = resource
  const at = `${path}/:record_id/delete`
  const word = access.remove as Access
  get(at, word, async (view, c) => {
    const record = await service.get(idIn(c))
    const own = `${path}/${idIn(c)}`
    const name = resource.nameOf(record)
    return (
      <Page
        view={view}
        title={view.t(words.delete)}
        crumbs={[...(await crumbsOf(resource, record, view, c)), { word: name, path: own }]}
        column
      >
        <DeleteQuestion
          isPage
          view={view}
          path={own}
          name={name}
          also={await resource.deletes?.(record, viewerOf(view, c))}
        />
      </Page>
    )
  })
  act(at, word, async c => {
    await service.remove?.(panelActor(c), idIn(c))
    return saved(path)
  })
}
