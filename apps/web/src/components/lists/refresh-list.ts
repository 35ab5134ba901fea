import { queryClient } from '../../api/query-client.ts'

/** Reads the lists called `names` again, wherever they stand: something in them was saved or deleted. */
export const refreshLists = (...names: readonly string[]): Promise<unknown> =>
  Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: ['list', name] })))
