import { type CallOptions, type Client, getEndpoint } from '@custodia/client'
import { type Api, type Page, text, type Total } from '@custodia/contract'
import { callSearch, type ListCall, type QueryOf, type RowOf, wireFilters } from './call-search.ts'
import type { ListDefinition, ListFilter, LinkTarget, Paging } from './list-definition.ts'
import { CreateButton } from './list-records.tsx'
import { flag, type ListSearch, one, type Reader, type Readers, type Search } from './list-search.ts'

/** Fields that `defineList` derives from the call. */
type DerivedField =
  | 'address'
  | 'detail'
  | 'filters'
  | 'hasOrder'
  | 'hasSort'
  | 'parse'
  | 'permission'
  | 'getQuery'
  | 'queryOfFile'
  | 'readPage'
  | 'readTotal'

/** Path parameters of the call, where it has some. */
type Path<Call extends ListCall & keyof Client> = Parameters<Client[Call]>[0] extends { params: infer Params }
  ? { path: Params }
  : { path?: undefined }

type RequestPage<Call extends ListCall> = (
  input: { query: QueryOf<Call> & Partial<Paging> & { type?: 'total' } },
  options: CallOptions,
) => Promise<Page<RowOf<Call>> | Total>

interface FromCall<Call extends ListCall, Own extends Readers> {
  call: Call
  /** Instead of the call itself. */
  ask?: RequestPage<Call>
  /** Page of the list and fixed address parameters: `{ tab: 'devices' }`. */
  to: LinkTarget['to']
  params?: LinkTarget['params'] | undefined
  part?: Readonly<Record<string, string>>
  /** Row key as used in addresses. */
  key: Parameters<typeof one>[0]
  filters: readonly ListFilter<(keyof QueryOf<Call> | keyof Own) & string>[]
  /** Address parameters that the call lacks, or that this list reads more narrowly. */
  own?: Own
  /** Query in addition to the filters: fixed values, and values of `own` parameters. */
  refine?: (search: Partial<QueryOf<Call>> & Search<Own>) => Partial<QueryOf<Call>>
  /** As `refine`, for the CSV file, where it has more rows than the screen. */
  refineFile?: (search: Partial<QueryOf<Call>> & Search<Own>) => Partial<QueryOf<Call>>
  detail?: ListDefinition<RowOf<Call>, QueryOf<Call>>['detail']
}

/** Builds a list from its call: filters from the call's query, permission from its action; with `records` rows open a drawer. */
export function defineList<
  Call extends ListCall & keyof Client,
  Own extends Readers = Record<never, Reader>,
>({
  api,
  path,
  ask,
  to,
  params,
  part,
  key,
  own,
  refine,
  refineFile,
  ...list
}: Omit<ListDefinition<RowOf<Call>, QueryOf<Call>>, DerivedField> &
  FromCall<Call, Own> & { api: Pick<Client, NoInfer<Call>> } & Path<NoInfer<Call>>): ListDefinition<
  RowOf<Call>,
  QueryOf<Call>
> {
  const { call, getKey, records } = list
  // The endpoint says which permission and which filters the call has.
  const row = getEndpoint<Api[Call]>(api[call])
  const ofPath: object = path === undefined ? {} : { params: path }
  const read = ask ?? ((input, options) => (api[call] as RequestPage<Call>)({ ...input, ...ofPath }, options))
  const parse = callSearch(row.query, list.filters, {
    view: one(text(1, 60)),
    preview: one(text(1, 60)),
    ...('sort' in row.query.shape ? {} : { sort: one(text(1, 60)) }),
    ...(records ? { edit: one(key), create: flag } : {}),
    ...own,
  })
  const address = (search: object): LinkTarget => ({
    to,
    ...(params && { params }),
    search: { ...part, ...parse(search) } as never,
  })
  const asking =
    (more: typeof refine) =>
    (search: ListSearch, now: number): QueryOf<Call> =>
      ({
        ...wireFilters(row.query, search, now),
        ...more?.(search as Parameters<NonNullable<typeof refine>>[0]),
      }) as QueryOf<Call>
  const create = records && <CreateButton {...records.create} address={address} />
  return {
    permission: typeof row.action === 'string' ? row.action : (Object.values(row.action?.of ?? {})[0] ?? ''),
    hasOrder: 'order' in row.query.shape,
    hasSort: 'sort' in row.query.shape,
    ...(records && !records.isOnlyCreated
      ? { detail: (each, search) => address({ ...search, edit: getKey(each), create: undefined }) }
      : {}),
    ...list,
    ...(create && { primaryAction: create }),
    parse,
    address,
    getQuery: asking(refine),
    ...(refineFile && { queryOfFile: asking(refineFile) }),
    readPage: (query, paging, options) =>
      read({ query: { ...query, ...paging } }, options) as Promise<Page<RowOf<Call>>>,
    readTotal: (query, options) => read({ query: { ...query, type: 'total' } }, options) as Promise<Total>,
  }
}
