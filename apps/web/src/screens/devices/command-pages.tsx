import { type ReactNode, useEffect, useMemo } from 'react'
import { ListPage } from '../../components/lists/list-page.tsx'
import { commands, commandsOfDevice } from './command-lists.tsx'
import { type DeviceCommand, type Page, PAGE_LIMIT } from '@custodia/contract'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { readAgain } from '../../api/after-change.ts'
import { fleetApi } from '../../api/fleet-api.ts'

/** Poll interval of devices with open commands, in milliseconds. */
const LOOK_MS = 2000

/** Refetches visible commands when an open one changes state, for one device or all. */
function useFollowedCommands(device_reference?: string): void {
  const call = device_reference === undefined ? 'listCommands' : 'listCommandsOfDevice'
  const { data } = useQuery({
    queryKey: keyOf(call, 'open', device_reference),
    queryFn: async ({ signal }) => {
      const query = { states: ['Sent', 'Acknowledged'], limit: PAGE_LIMIT } as const
      const asked = { query: { ...query, states: [...query.states] } }
      const page = await (device_reference === undefined
        ? fleetApi.listCommands(asked, { signal })
        : fleetApi.listCommandsOfDevice({ ...asked, params: { device_reference } }, { signal }))
      return (page as Page<DeviceCommand>).data.map((each) => `${each.command_reference} ${each.state}`)
    },
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? LOOK_MS : false),
    meta: { silent: true },
  })
  const open = data?.join()
  useEffect(() => {
    if (open !== undefined) readAgain(call)
  }, [open, call])
}

/** Commands of one device, updated live. */
export function CommandsOfDevice({ reference, head }: { reference: string; head: ReactNode }) {
  useFollowedCommands(reference)
  const list = useMemo(() => commandsOfDevice(reference), [reference])
  return <ListPage list={list} head={head} />
}

/** Commands of all visible devices, updated live. */
export function Commands() {
  useFollowedCommands()
  return <ListPage list={commands} />
}
