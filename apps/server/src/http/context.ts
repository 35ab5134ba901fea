import type { Answer, Api, EndpointName, HandlerInput } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { PreparedJson } from './prepared-json.ts'

/** A signed-in person. */
export interface PortalUser {
  kind: 'portal'
  client_id: number
  client: string
  client_name: string
  user_reference: string
  session_id: string
  roles: string[]
  user_group: string | null
  access: Access
  /** Whether the current terms were accepted; null until then. */
  terms_accepted_at: number | null
  support_reference?: string | undefined
}

/** A phone with a valid access token. */
export interface Phone {
  kind: 'device'
  client_id: number
  client: string
  device_id: number
  device_reference: string
  device_user_reference: string | null
  group_reference: string
}

/** What every handler gets beside its input. */
export interface Context {
  readonly request_id: string
  readonly ip: string
  /** Epoch seconds, the same throughout the request. */
  readonly now: number
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Context of a call within a tenant. */
export interface TenantContext<P> extends Context {
  readonly caller: P
  /** Reads as the caller's tenant. */
  read<T>(work: (q: Queryable) => Promise<T>): Promise<T>
  /** One transaction as the caller's tenant; the audit entry of the call is written with it or the act fails. */
  write<T>(work: (tx: Tx, log_id: string) => Promise<T>): Promise<T>
}
export type PortalContext = TenantContext<PortalUser>
export type DeviceContext = TenantContext<Phone>

type ContextOf<Name extends EndpointName> = Api[Name]['authentication'] extends 'portal'
  ? PortalContext
  : Api[Name]['authentication'] extends 'device'
    ? DeviceContext
    : Context

/** Handler of one row: the parsed input in, the answer out. It holds no try/catch and writes no audit entry itself. */
export type Handler<Name extends EndpointName> = (
  context: ContextOf<Name>,
  input: HandlerInput<Api[Name]>,
) => Promise<Answer<Api[Name]> | PreparedJson<Answer<Api[Name]>>>

/** Handlers by row name: one missing or of the wrong type does not compile. */
export type Handlers<Name extends EndpointName> = { readonly [N in Name]: Handler<N> }
