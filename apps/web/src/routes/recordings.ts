import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { SearchOf } from '../components/lists/call-search.ts'
import { withTexts } from '../i18n/i18n.ts'
import { momentSearch } from '../screens/payloads/player/moment.ts'
import type { ScreenService } from '../screens/payloads/services.ts'
import { asWritten, page, screen, useReference } from './layouts.tsx'

const getList = <Service extends Exclude<ScreenService, 'messages'>>(service: Service) =>
  createRoute({
    ...page(`services/${service}`),
    validateSearch: asWritten<SearchOf<'listPayloads'>>,
    staticData: {
      ahead: async ({ search }) =>
        (await import('../screens/payloads/recordings-list.tsx')).readAhead(service, search),
    },
    component: screen(
      () => import('../screens/payloads/recordings-list.tsx'),
      'RecordingsList',
      () => ({ service }),
    ),
  })

/** Requests a recording before its page has loaded. */
const recordingAhead = {
  ahead: async ({ params }: { params: Readonly<Record<string, string>> }): Promise<void> =>
    (await import('../screens/payloads/queries.ts')).askForPayload(params.payload_reference ?? ''),
}

const getPlayedDetail = <Service extends ScreenService>(service: Service) =>
  createRoute({
    ...page(`services/${service}/$payload_reference`),
    validateSearch: momentSearch,
    staticData: recordingAhead,
    component: screen(
      () => import('../screens/payloads/played-detail.tsx'),
      'PlayedDetail',
      () => ({ service, reference: useReference() }),
    ),
  })

/** Pages of calls, messages, interviews, photos, videos and diagnostics, and of what reviewers do with them. */
export const recordingRoutes = [
  getList('calls'),
  createRoute({
    ...page('services/messages'),
    validateSearch: asWritten<SearchOf<'listPayloads'>>,
    staticData: {
      ahead: async ({ search }) => (await import('../screens/messages/messages-list.tsx')).readAhead(search),
    },
    component: screen(
      () => withTexts('lazy', import('../screens/messages/messages-list.tsx')),
      'MessagesList',
      () => ({}),
    ),
  }),
  getList('interviews'),
  getList('photos'),
  getList('videos'),
  getList('diagnostics'),
  getPlayedDetail('calls'),
  getPlayedDetail('interviews'),
  getPlayedDetail('videos'),
  createRoute({
    ...page('services/messages/$payload_reference'),
    /** A day of the conversation. */
    validateSearch: ({ at }: Record<string, unknown>): { at?: string } =>
      typeof at === 'string' ? { at } : {},
    staticData: recordingAhead,
    component: screen(
      () => withTexts('lazy', import('../screens/messages/conversation.tsx')),
      'MessageDetail',
      () => ({ reference: useReference() }),
    ),
  }),
  createRoute({
    ...page('services/photos/$payload_reference'),
    staticData: recordingAhead,
    component: screen(
      () => withTexts('lazy', import('../screens/photos/photo-viewer.tsx')),
      'PhotoDetail',
      () => ({ reference: useReference() }),
    ),
  }),
  createRoute({
    ...page('services'),
    /** The specification's overview of services: the home page shows it. */
    beforeLoad: () => {
      throw redirect({ to: '/dashboard', replace: true })
    },
  }),
  createRoute({
    ...page('services/comments'),
    validateSearch: asWritten<SearchOf<'listComments'>>,
    component: lazyRouteComponent(
      () => withTexts('lazy', import('../screens/comments/comments-list.tsx')),
      'CommentsList',
    ),
  }),
  createRoute({
    ...page('services/reviews'),
    component: lazyRouteComponent(
      () => withTexts('lazy', import('../screens/reviews/reviews-screen.tsx')),
      'ReviewsScreen',
    ),
  }),
  createRoute({
    ...page('services/words'),
    validateSearch: asWritten<SearchOf<'searchPayloads'> & { where?: 'comments' }>,
    component: lazyRouteComponent(
      () => withTexts('lazy', import('../screens/words/words-screen.tsx')),
      'WordsScreen',
    ),
  }),
] as const
