import type { RoleInput } from '@custodia/contract'
import type { Person } from './person.ts'

/** Calls of roles, as a person makes them. */
export const save = (
  person: Person,
  role_reference: string,
  body: RoleInput,
  query: { confirm_lockout?: boolean } = {},
  how: { if_match?: string; if_none_match?: boolean } = {},
) => person.api.saveRole({ params: { role_reference }, query, body }, how)
export const review = (person: Person, role_reference: string, body: RoleInput) =>
  person.api.reviewRole({ params: { role_reference }, query: {}, body })
export const read = (person: Person, role_reference: string) =>
  person.api.readRole({ params: { role_reference }, query: {} })
export const remove = (person: Person, role_reference: string, how: { if_match?: string } = {}) =>
  person.api.deleteRole({ params: { role_reference }, query: {} }, how)
