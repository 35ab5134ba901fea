import { type StoredTag, TagKey } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { lazy, useState } from 'react'
import { api } from '../src/api/api.ts'
import { clientsQuery } from '../src/components/clients/clients.tsx'
import { getColumns } from '../src/components/lists/columns.tsx'
import { defineList } from '../src/components/lists/define-list.tsx'
import { ListPage } from '../src/components/lists/list-page.tsx'
import { one } from '../src/components/lists/list-search.ts'
import { personPicker } from '../src/components/pickers.ts'
import { ReviewQuestion, useReviewedForm } from '../src/components/review/reviewed-form.tsx'
import { movesRights } from '../src/components/review/use-review.ts'
import { withTexts } from '../src/i18n/i18n.ts'
import { HoldAct } from '../src/screens/legal-holds/hold-act.tsx'
import { ObstaclePanel } from '../src/screens/payloads/obstacle-panel.tsx'
import { PayloadDetail } from '../src/screens/payloads/payload-detail.tsx'
import { Player } from '../src/screens/payloads/player/player.tsx'
import { payloadQuery } from '../src/screens/payloads/queries.ts'
import { RecordingsList } from '../src/screens/payloads/recordings-list.tsx'
import TagDrawer from '../src/screens/tags/tag-drawer.tsx'
import { PageMenu } from '../src/ui/act-button.tsx'
import { PageHeader } from '../src/ui/page-header.tsx'

const say = (message: string): MessageDescriptor => ({ id: message, message })
const column = getColumns<StoredTag>()

const ProposalPreview = lazy(() => withTexts('lazy', import('../src/screens/proposals/proposal-preview.tsx')))

const IdentityDrawer = lazy(() => withTexts('lazy', import('../src/screens/clients/identity-drawer.tsx')))

/** Identity provider of the first client, as provider staff see it. */
function IdentityScene() {
  const { data } = useQuery(clientsQuery)
  return data?.[0] ? <IdentityDrawer account={data[0]} onClose={() => {}} /> : null
}

/** A proposal, as the client sees it. */
const ApprovalScene = () => <ProposalPreview rowKey="01K9Z000000000000000000PR1" row={undefined} />

const REFERENCE = '01K9Z00000000000000000CALL'

/** The player of a call that the test serves, without a Suspense boundary above, as in the portal. */
function PlayerScene() {
  const { data } = useQuery(payloadQuery(REFERENCE))
  return data ? <Player payload={data} /> : null
}

const CallScene = () => (
  <PayloadDetail
    reference={REFERENCE}
    service="calls"
    content={(payload, obstacle) =>
      obstacle === undefined ? (
        <Player payload={payload} />
      ) : (
        <ObstaclePanel payload={payload} obstacle={obstacle} />
      )
    }
  />
)

const params = { tag_key: 'region' }
const getBody = (default_value: string) => ({ tag_values: null, is_required: false, default_value })

/** A page form with a field, a button, and the review before the save. */
function ReviewScene() {
  const [saved, setSaved] = useState('')
  const { element, values, set, submit, failure, found, dropReview } = useReviewedForm({
    initial: { preset: '' },
    review: ({ preset }: { preset: string }) => api.reviewTag({ params, body: getBody(preset), query: {} }),
    wantsWord: movesRights,
    save: ({ preset }, review) => {
      const query = review?.impact.locks_out ? { confirm_lockout: true as const } : {}
      return api.saveTag({ params, body: getBody(preset), query }, { if_match: '1' })
    },
    onSaved: ({ version }) => setSaved(version),
  })
  return (
    <form
      ref={element}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <input
        aria-label="Preset"
        value={values.preset}
        onChange={(event) => set({ preset: event.currentTarget.value })}
      />
      <button type="submit">Save</button>
      {saved !== '' && <output>version {saved}</output>}
      {failure !== undefined && <p role="alert">{failure}</p>}
      <ReviewQuestion form={{ found, dropReview, submit }} subject="Reviewer" />
    </form>
  )
}

/** A two-column list over a real call; records open in a plain box. */
const list = defineList({
  name: 'stage',
  call: 'listTags',
  api,
  to: '/list' as never,
  key: TagKey,
  title: say('Tags'),
  icon: 'tag',
  columns: [
    column.name('key', say('Key'), (row) => row.tag_key, { width: 150, grow: 1 }),
    column.texts('values', say('Values'), (row) => row.tag_values ?? [], {
      width: 150,
      none: say('any value'),
    }),
    column.mark('required', say('Required'), (row) => row.is_required, {
      width: 120,
      word: say('Required'),
      icon: 'check',
    }),
    column.count('groups', say('Groups'), { width: 90 }),
    column.moment('updated', say('Updated'), (row) => row.updated_at, { width: 150, none: say('Never') }),
  ],
  filters: [
    { name: 'search', kind: 'search', label: say('Search'), placeholder: say('Key or value') },
    {
      name: 'person',
      kind: 'pick',
      label: say('Person'),
      picker: personPicker,
      isSingle: true,
      isFirst: true,
    },
  ],
  own: { person: one(TagKey) },
  views: [
    { name: 'north', label: say('North only'), search: { search: 'north' } },
    {
      name: 'due',
      label: say('Due'),
      search: { search: 'due' },
      empty: { title: say('Nothing is due'), description: say('Tags that are due stand here.') },
    },
  ],
  noMatch: say('No tags match'),
  empty: { title: say('No tags yet'), description: say('Tags sort groups.') },
  isUnchanged: true,
  getKey: (row) => row.tag_key,
  Preview: ({ rowKey }) => <p>Preview of {rowKey}</p>,
  records: {
    Drawer: ({ recordKey, onClose }) => (
      <dialog open aria-label={recordKey ?? 'new'}>
        <button type="button" onClick={onClose}>
          Leave
        </button>
      </dialog>
    ),
    create: { label: say('Create tag'), action: 'tags:update' },
  },
})

function Drawers({ recordKey }: { recordKey?: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && <TagDrawer {...(recordKey ? { recordKey } : {})} onClose={() => setOpen(false)} />}
    </>
  )
}

/** A page about a person, with its menu. */
function PersonScene() {
  const subject = { target_type: 'DeviceUser', target: 'harriet', name: 'Harriet Cole' } as const
  return (
    <PageHeader
      title={subject.name}
      actions={
        <PageMenu>
          <HoldAct subject={subject} />
        </PageMenu>
      }
    />
  )
}

const AlertButtons = lazy(() => withTexts('lazy', import('../src/screens/alerts/alert-actions.tsx')))

const FirstSteps = lazy(() => withTexts('lazy', import('../src/screens/dashboard/first-steps.tsx')))

export const SCENES: Readonly<Record<string, ComponentType>> = {
  list: () => <ListPage list={list} />,
  'new-tag': () => <Drawers />,
  'old-tag': () => <Drawers recordKey="region" />,
  'services/calls': () => <RecordingsList service="calls" />,
  player: PlayerScene,
  call: CallScene,
  'first-steps': () => <FirstSteps open={['people', 'transfers']} />,
  'optional-step': () => (
    <>
      <FirstSteps open={['transfers']} />
      <p>Below the first steps</p>
    </>
  ),
  review: ReviewScene,
  identity: IdentityScene,
  approval: ApprovalScene,
  person: PersonScene,
  alerts: () => <AlertButtons keys={['01K9Z000000000000000000000']} onDone={() => {}} />,
}
