import { FLEET_TABS, type FleetTab } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { noticeFailure } from '../../api/notices.ts'
import { signOut } from '../../api/sign-in.ts'
import { endSupportMode } from '../../api/support-mode.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { memoryKey } from '../../components/lists/memory-key.ts'
import { readSavedViews } from '../../components/lists/saved-views.ts'
import { getDetail, type ScreenService, SERVICES } from '../../screens/payloads/services.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { Area } from '../navigation.ts'
import type { Command } from './command.ts'
import { PAGE_WORDS, VIEWED_LISTS } from './page-words.ts'

/** Menu pages, saved views, actions and shell commands. */
export function useCommands(area: Area, onShortcuts: () => void): readonly Command[] {
  const { i18n } = useLingui()
  const navigate = useNavigate()
  const entries = area.menuFor(useProfile())
  return [
    ...entries.map(({ to, label, icon }): Command => ({
      id: to,
      label: i18n._(label),
      words: PAGE_WORDS[to] ?? '',
      icon,
      go: () => navigate({ to, state: { isChosen: true } }),
    })),
    ...useFleetTabs(area),
    ...useSavedViews(area),
    ...useActions(area),
    ...useShellCommands(area, onShortcuts),
  ]
}

/** Tabs of the devices page, by their own and common words. */
const TABS: Readonly<Record<FleetTab, { label: MessageDescriptor; icon: IconName; words: string }>> = {
  enrolments: { label: msg`Enrolments`, icon: 'plus', words: 'QR code register cadastrar' },
  commands: { label: msg`Commands`, icon: 'device', words: 'remote order remoto ordem' },
  telemetry: { label: msg`Telemetry`, icon: 'overview', words: 'battery version health bateria versão' },
  capture: { label: msg`Capture`, icon: 'wave', words: 'gap silent missing lacuna silêncio falta' },
  map: { label: msg`Map`, icon: 'pin', words: 'GPS position location posição localização' },
}

function useFleetTabs(area: Area): Command[] {
  const { i18n } = useLingui()
  const navigate = useNavigate()
  const may = useMay()
  const devices = area.menuFor(useProfile()).find(({ to }) => to === '/dashboard/devices')
  if (devices === undefined) return []
  return (Object.keys(TABS) as FleetTab[])
    .filter((tab) => may(FLEET_TABS[tab]))
    .map((tab): Command => ({
      id: `devices ${tab}`,
      label: i18n._(TABS[tab].label),
      words: TABS[tab].words,
      detail: i18n._(devices.label),
      icon: TABS[tab].icon,
      go: () => navigate({ to: '/dashboard/devices', search: { tab } as never }),
    }))
}

/** Views that the reader saved in this browser, of pages that the reader may open. */
function useSavedViews(area: Area): Command[] {
  const { i18n } = useLingui()
  const navigate = useNavigate()
  const profile = useProfile()
  const entries = area.menuFor(profile)
  return Object.entries(VIEWED_LISTS).flatMap(([list, to]) => {
    const entry = entries.find((each) => each.to === to)
    const stored = localStorage.getItem(memoryKey(profile, list, 'views'))
    if (entry === undefined || stored === null) return []
    return parsed(stored).map(({ id, name, search }): Command => ({
      id: `view ${list} ${id}`,
      label: name,
      detail: i18n._(entry.label),
      icon: 'bookmark',
      go: () => navigate({ to: entry.to, search: { ...search, view: id } as never }),
    }))
  })
}

function parsed(stored: string) {
  try {
    return readSavedViews(JSON.parse(stored))
  } catch {
    return []
  }
}

/** Page of a recording, or a list with one in its preview. */
const RECORDING = /\/services\/(\w+)(?:\/([0-9A-Z]{26}))?$/

/** The address on screen. */
interface CurrentAddress {
  pathname: string
  search: { preview?: unknown }
}

/** The tab of a recording with the people who may hear it: of the open one, else the list of calls. */
function getAccess({ pathname, search }: CurrentAddress): LinkTarget {
  const [, service = '', open = search.preview] = RECORDING.exec(pathname) ?? []
  if (typeof open !== 'string' || !(service in SERVICES)) return { to: '/dashboard/services/calls' }
  return { ...getDetail(service as ScreenService, open), hash: 'access' }
}

const create = (to: LinkTarget['to']) => (): LinkTarget => ({ to, search: { create: true } as never })

/** Forms and pages that open from anywhere. */
const ACTIONS: readonly {
  id: string
  action: string
  label: MessageDescriptor
  words: string
  icon: IconName
  target: (here: CurrentAddress) => LinkTarget
}[] = [
  {
    id: 'place-hold',
    action: 'account.legal_holds:update',
    label: msg`Place on legal hold…`,
    words: 'freeze preserve litigation colocar guarda preservar',
    icon: 'lock',
    target: create('/dashboard/governance/holds'),
  },
  {
    id: 'open-matter',
    action: 'account.legal_matters:create',
    label: msg`Open a legal matter…`,
    words: 'case investigation caso investigação abrir',
    icon: 'archive',
    target: create('/dashboard/governance/matters'),
  },
  {
    id: 'record-request',
    action: 'account.data_requests:create',
    label: msg`Record a data subject request…`,
    words: 'GDPR LGPD DSAR privacy erasure export titular privacidade eliminação',
    icon: 'user',
    target: create('/dashboard/governance/requests'),
  },
  {
    id: 'add-user',
    action: 'users:create',
    label: msg`Add a device user…`,
    words: 'employee onboard enrol funcionário cadastrar admitir',
    icon: 'plus',
    target: create('/dashboard/devices/users'),
  },
  {
    id: 'alert-mails',
    action: 'profile.alert_subscription:read',
    label: msg`Email alerts`,
    words: 'notification subscribe notificação aviso assinar',
    icon: 'bell',
    target: () => ({ to: '/dashboard/account/alert-mails' }),
  },
  {
    id: 'give-access',
    action: 'people.roles:update',
    label: msg`Give a person access…`,
    words:
      'temporary auditor outside roles assign until acesso temporário auditor externo funções atribuir até',
    icon: 'plus',
    target: create('/dashboard/access/people'),
  },
  {
    id: 'explain-person',
    action: 'people.access:read',
    label: msg`What may a person do?`,
    words: 'access rights roles explain permissions acesso direitos funções explicar permissões',
    icon: 'user',
    target: () => ({ to: '/dashboard/access/people' }),
  },
  {
    id: 'explain-recording',
    action: 'payloads.access:list',
    label: msg`Who may hear a recording?`,
    words:
      'access rights explain listen past history report could acesso direitos explicar ouvir quem histórico relatório podia',
    icon: 'lock',
    target: getAccess,
  },
  {
    id: 'sealed-log',
    action: 'activities:list',
    label: msg`Sealed log`,
    words: 'checkpoint evidence proof auditor tamper verify comprovação prova auditor integridade selo',
    icon: 'history',
    target: () => ({ to: '/dashboard/account/audit/sealed' }),
  },
  {
    id: 'integrity-checks',
    action: 'activities:list',
    label: msg`Integrity checks`,
    words: 'fixity verify worm lock bucket storage nightly verificação integridade armazenamento bloqueio',
    icon: 'shield',
    target: () => ({ to: '/dashboard/account/audit/integrity' }),
  },
]

function useActions(area: Area): Command[] {
  const { i18n } = useLingui()
  const navigate = useNavigate()
  const router = useRouter()
  const may = useMay()
  if (area.home !== '/dashboard') return []
  return ACTIONS.filter(({ action }) => may(action)).map(({ id, label, words, icon, target }) => ({
    id,
    label: i18n._(label),
    words,
    icon,
    go: () => navigate(target(router.latestLocation)),
  }))
}

function useShellCommands(area: Area, onShortcuts: () => void): Command[] {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { support, is_provider } = useProfile()
  const otherArea: Command =
    area.home === '/internal'
      ? {
          id: 'own',
          label: t`The provider’s own account`,
          icon: 'arrow-right',
          go: () => navigate({ to: '/dashboard' }),
        }
      : {
          id: 'internal',
          label: t`Provider area`,
          icon: 'arrow-right',
          go: () => navigate({ to: '/internal' }),
        }
  const endSupport: Command = {
    id: 'end-support',
    label: t`End support mode`,
    icon: 'lifebuoy',
    go: () => endSupportMode().catch(noticeFailure),
  }
  return [
    ...(support === null ? [] : [endSupport]),
    ...(is_provider && support === null ? [otherArea] : []),
    {
      id: 'verify',
      label: t({ context: 'page', message: 'Verify evidence' }),
      words: 'check bundle certificate signature conferir certificado assinatura',
      icon: 'shield',
      go: () => navigate({ to: '/verify' }),
    },
    { id: 'shortcuts', label: t`Keyboard shortcuts`, icon: 'keyboard', go: onShortcuts },
    {
      id: 'sign-out',
      label: t`Sign out`,
      words: 'log out logoff desconectar',
      icon: 'sign-out',
      go: signOut,
    },
  ]
}
