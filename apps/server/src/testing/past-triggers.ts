import type { Sql } from './test-context.ts'

/** Changes as the owner what nobody may: past the triggers of these tables. */
export async function pastTriggers(sql: Sql, tables: readonly string[], statement: string): Promise<void> {
  for (const table of tables) await sql(`alter table ${table} disable trigger user`)
  await sql(statement)
  for (const table of tables) await sql(`alter table ${table} enable trigger user`)
}

/** Has no account a policy, nor ever had one. */
export const withoutPolicy = (sql: Sql): Promise<void> =>
  pastTriggers(sql, ['retention_policies'], 'delete from retention_policies')

/** Has the account acme ask for two people, or not, as if two had said so long ago. */
export const ruleOfTwo = (sql: Sql, is_required: boolean): Promise<void> =>
  pastTriggers(
    sql,
    ['dual_control_versions'],
    `insert into dual_control_versions (client_id, version, is_required, at, by, confirmed_by)
     select c.client_id, coalesce((select max(version) from dual_control_versions t where t.client_id = c.client_id), 0) + 1, ${is_required}, 0, 'x', 'y'
     from clients c where client = 'acme'`,
  )
