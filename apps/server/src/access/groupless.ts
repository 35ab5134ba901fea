import { api, type Endpoint, type EndpointName } from '@custodia/contract'
import type { PortalContext } from '../http/context.ts'
import { assertGroupless } from './assert-permitted.ts'

type AnyHandler = (context: PortalContext, input: never) => Promise<unknown>

/**
 * Handlers of rows that concern no group: each refuses a caller whose roles grant its action for some groups only. Problem:
 * not_permitted.
 */
export function groupless<T extends Partial<Record<EndpointName, AnyHandler>>>(handlers: T): T {
  const guarded = (Object.entries(handlers) as [EndpointName, AnyHandler][]).map(([name, handler]) => {
    const { action } = api[name] as Endpoint
    if (typeof action !== 'string') throw new Error(`${name} has no single action`)
    const call: AnyHandler = async (context, input) => {
      assertGroupless(context, action)
      return handler(context, input)
    }
    return [name, call]
  })
  return Object.fromEntries(guarded) as T
}
