import { queryClient } from '../api/query-client.ts'

/**
 * Groups, roles, tags or defaults were saved: lists, offered names and open records are read again, and so is the
 * profile, since a change of rights may be one of one's own.
 */
export async function accessChanged(): Promise<void> {
  await Promise.all(
    [['list', 'groups'], ['list', 'roles'], ['list', 'tags'], ['choices'], ['profile']].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )
}
