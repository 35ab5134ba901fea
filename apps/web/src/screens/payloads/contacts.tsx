import type { Contacts as Result } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { contactsApi } from '../../api/payload-api.ts'
import { useMay } from '../../api/use-profile.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { LinkAnchor } from '../../ui/links.tsx'
import { visible } from '../../ui/visible.ts'
import { getList, type ScreenService } from './services.ts'
import classes from './contacts.module.css'

const contactsQuery = (number: string) =>
  queryOptions({
    ...callQuery(contactsApi, 'readContacts', { query: { number } }),
    meta: { silent: true },
  })

const COUNTED: Readonly<Record<ScreenService, (count: number) => MessageDescriptor>> = {
  calls: (count) => msg`${plural(count, { one: '# call', other: '# calls' })}`,
  messages: (count) => msg`${plural(count, { one: '# message', other: '# messages' })}`,
  interviews: (count) => msg`${plural(count, { one: '# interview', other: '# interviews' })}`,
  photos: (count) => msg`${plural(count, { one: '# photo', other: '# photos' })}`,
  videos: (count) => msg`${plural(count, { one: '# video', other: '# videos' })}`,
  diagnostics: (count) => msg`${plural(count, { one: '# diagnosis', other: '# diagnoses' })}`,
}

/** Other records of a number, and with which device users: each count links to its list. */
export default function Contacts({ number }: { number: string }) {
  const { data, error, refetch } = useQuery(contactsQuery(number))
  if (data !== undefined)
    return (
      <>
        <ContactFacts result={data} />
        <RequestLink number={number} />
      </>
    )
  if (error === null) return <Skeleton h={20} aria-busy="true" />
  return (
    <Text span size="sm" c="dimmed">
      <Trans>The count failed.</Trans>{' '}
      <Button size="compact-xs" variant="subtle" onClick={() => void refetch()}>
        <Trans>Retry</Trans>
      </Button>
    </Text>
  )
}

function ContactFacts({ result: { filter, services, people, people_total } }: { result: Result }) {
  const [only, ...others] = services
  if (only?.total === 1 && others.length === 0)
    return (
      <Text size="sm" c="dimmed">
        <Trans>This number is in no other recording that you can see.</Trans>
      </Text>
    )
  const more = people_total.total - people.length
  return (
    <div className={classes.contacts}>
      <Text size="sm">
        <Trans>This number:</Trans> <Counts services={services} filter={filter} />
        {people_total.total > 0 && (
          <>
            {', '}
            {people_total.is_capped ? (
              <Plural value={people_total.total} one="# person or more" other="# people or more" />
            ) : (
              <Plural value={people_total.total} one="# person" other="# people" />
            )}
          </>
        )}
      </Text>
      <ul className={classes.people}>
        {people.map(({ device_user_reference, name, services: theirs }) => (
          <li key={device_user_reference}>
            {visible(name ?? device_user_reference)}:{' '}
            <Counts
              services={theirs}
              filter={{ ...filter, device_user_reference }}
              of={visible(name ?? device_user_reference)}
            />
          </li>
        ))}
        {more > 0 && (
          <li>
            <Plural value={more} one="and # more person" other="and # more people" />
          </li>
        )}
      </ul>
    </div>
  )
}

/** Button for a data subject request about this number, for permitted users. */
function RequestLink({ number }: { number: string }) {
  if (!useMay()('account.data_requests:create')) return null
  return (
    <LinkAnchor
      size="sm"
      to="/dashboard/governance/requests"
      search={{ create: true, about: `Number/${number}` } as never}
    >
      <Trans>Record a request about this number</Trans>
    </LinkAnchor>
  )
}

/** `14 calls, 3 messages`, each linked to its list. */
function Counts({
  services,
  filter,
  of,
}: {
  services: Result['services']
  filter: ListSearch
  /** Owner, where several equal counts appear. */
  of?: string
}) {
  const { t, i18n } = useLingui()
  return services.map(({ service, total, is_capped }, i) => {
    const counted = i18n._(COUNTED[service](total))
    const words = is_capped ? t`${counted} or more` : counted
    return (
      <Fragment key={service}>
        {i > 0 && ', '}
        <LinkAnchor
          inherit
          className={classes.count}
          {...(of !== undefined && { 'aria-label': `${words}, ${of}` })}
          {...getList(service, filter)}
        >
          {words}
        </LinkAnchor>
      </Fragment>
    )
  })
}
