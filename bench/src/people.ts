import { addVisitor, type Archive } from './archive.ts'
import { addRole } from './fill.ts'

/** One person sees all groups, one a fifth of them. */
export const PEOPLE = ['unrestricted', 'two-hundred-groups'] as const
export type Person = (typeof PEOPLE)[number]

/** Adds both people; resolves to their roles. Every fifth group: large and silent ones are among them. */
export async function addPeople(
  archive: Archive,
  unrestricted = 'Compliance Reviewer',
  actions?: string[],
): Promise<Record<Person, string>> {
  const { owner, client_id } = archive
  const { rows } = await owner.query<{ group_id: number }>(
    'select group_id from groups where group_id % 5 = 3 order by group_reference',
  )
  const fifth = rows.map((row) => row.group_id)
  await addRole(owner, client_id, 'Fifth', fifth, actions)
  const roles = { unrestricted, 'two-hundred-groups': 'Fifth' }
  for (const person of PEOPLE) await addVisitor(archive, person, roles[person])
  return roles
}
