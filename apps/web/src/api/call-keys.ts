import type { CallOptions, Client } from '@custodia/client'
import type { Total } from '@custodia/contract'
import { type QueryFunctionContext, queryOptions } from '@tanstack/react-query'

export type CallName = keyof Client & string

/** Query key: name of the call, then its input. */
export type CallKey = readonly [CallName, ...unknown[]]

/** Returns the query key of a call. All keys come from here, so that invalidation names calls, not screens (`after-change.ts`). */
export const getKey = (call: CallName, ...asked: readonly unknown[]): CallKey => [call, ...asked]

/** Options of a read that the page repeats on its own. After the first answer the server makes no audit entry for it. */
export const repeatedRead = ({
  client,
  queryKey,
  signal,
}: Pick<QueryFunctionContext<CallKey, unknown>, 'client' | 'queryKey' | 'signal'>): CallOptions & {
  signal: AbortSignal
} => ({ signal, is_refresh: client.getQueryState(queryKey)?.data !== undefined })

/** The input of a call; an empty query may be left out. */
type OptionalQuery<Input> = Input extends { query?: infer Query }
  ? object extends Query
    ? Omit<Input, 'query'> & { query?: Query }
    : Input
  : Input
type InputOf<Name extends CallName> = OptionalQuery<Parameters<Client[Name]>[0]>
type InputArgument<Name extends CallName> =
  object extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]
type AnswerOf<Name extends CallName> = Exclude<Awaited<ReturnType<Client[Name]>>, Total>
type ApiWith<Name extends CallName> = Pick<Client, NoInfer<Name>>

interface RawInput {
  params?: object
  query?: object
  body?: object
}

function getQuery<Name extends CallName>(
  api: object,
  call: Name,
  { params = {}, query = {}, body }: RawInput,
  getOptions: (context: QueryFunctionContext<CallKey>) => CallOptions,
) {
  const read = (api as Record<Name, (input: RawInput, options: CallOptions) => Promise<AnswerOf<Name>>>)[call]
  const filters = [query, body].filter((part) => part !== undefined && Object.keys(part).length > 0)
  return queryOptions({
    queryKey: getKey(call, ...Object.values(params), ...filters),
    queryFn: (context) =>
      read({ params, query, ...(body === undefined ? {} : { body }) }, getOptions(context)),
  })
}

/** Query of one call. Its key is the call, then path parameters, query and body as far as they are given. */
export const callQuery = <Name extends CallName>(
  api: ApiWith<Name>,
  call: Name,
  ...[input]: InputArgument<Name>
) => getQuery(api, call, input ?? {}, ({ signal }) => ({ signal }))

/** Query of one call that the page repeats on its own. */
export const repeatedQuery = <Name extends CallName>(
  api: ApiWith<Name>,
  call: Name,
  ...[input]: InputArgument<Name>
) => getQuery(api, call, input ?? {}, repeatedRead)
