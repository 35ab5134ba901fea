import { addRole } from './fill.ts'
import { type Archive, addVisitor } from './house.ts'
import type { Person } from './list-cases.ts'

/** Adds who is measured. Resolves to the ids of the groups of each; undefined: all. Every fifth group, so that large and silent ones are among them. */
export async function addPeople(archive: Archive): Promise<Record<Person, number[] | undefined>> {
  const { owner, client_id } = archive
  const { rows } = await owner.query<{ group_id: number }>(
    'select group_id from groups where group_id % 5 = 3 order by group_reference',
  )
  const fifth = rows.map((row) => row.group_id)
  await addRole(owner, client_id, 'Fifth', fifth)
  await addVisitor(archive, 'unrestricted', 'Compliance Reviewer')
  await addVisitor(archive, 'two-hundred-groups', 'Fifth')
  return { unrestricted: undefined, 'two-hundred-groups': fifth }
}
