import type { AlertText } from './alerts.ts'
import { DEVICE_ALERT_TEXTS, type Text, text } from './device-alert-texts.ts'
import { FAILURES } from './failures.ts'
import type { DeviceService } from './payload-types.ts'
import { fill, type Locale, type Phrase, phrase } from './phrases.ts'

const ESCALATED = ['Rights granted beyond own', 'Direitos concedidos além dos próprios'] as const

/** A change with which a user granted more than their own rights. */
const escalated = (change: string, changePt: string): Text =>
  text(
    ...ESCALATED,
    `{user} ${change} and so granted more than their own rights: {rights}`,
    `{user} ${changePt} e assim concedeu mais do que os próprios direitos: {rights}`,
  )

/** Texts of alerts in both languages, with `{name}` placeholders. The server stores the English text as evidence. */
export const ALERT_TEXTS = {
  notification: text('Notice from the provider', 'Aviso do provedor', '{message}', '{message}'),
  payload_failed: text('A recording could not be processed', 'Uma gravação não pôde ser processada', '{failure}', '{failure}'),
  payload_escalated: text(
    'A recording was escalated',
    'Uma gravação foi escalada',
    '{user_reference} escalated {payload_reference}. It stays open until a reviewer closes it with a result.',
    '{user_reference} escalou {payload_reference}. A escalação fica aberta até um revisor encerrá-la com um resultado.',
  ),
  payload_altered: text('A recording differs from its sealed version', 'Uma gravação difere da versão lacrada', '{failure}', '{failure}'),
  payload_infected: text('A recording holds malware', 'Uma gravação contém malware', '{failure}', '{failure}'),
  mass_playing: text(
    'Unusually many recordings played',
    'Reprodução incomum de muitas gravações',
    '{user_reference} played {count} recordings in a day, an unusually high number.',
    '{user_reference} reproduziu {count} gravações em um dia, número acima do habitual.',
  ),
  mass_downloading: text(
    'Unusually many recordings downloaded',
    'Download incomum de muitas gravações',
    '{user_reference} downloaded {count} recordings in a day, an unusually high number.',
    '{user_reference} baixou {count} gravações em um dia, número acima do habitual.',
  ),
  mass_exporting: text(
    'Unusually many lists exported',
    'Exportação incomum de muitas listas',
    '{user_reference} exported {count} lists in a day, an unusually high number.',
    '{user_reference} exportou {count} listas em um dia, número acima do habitual.',
  ),
  licenses_short: text(
    'A device lacks licences',
    'Faltam licenças para um dispositivo',
    'No licence for {services} was left when device {device_reference} was activated. It records the rest and tries again at its next authentication.',
    'Não havia licença para {services} na ativação do dispositivo {device_reference}. Ele grava o restante e tenta novamente na próxima autenticação.',
  ),
  licenses_nearly_used: text(
    'Licences are nearly used up',
    'As licenças estão quase esgotadas',
    'Activated devices use {used} of {limit} licences of {service}. Devices activated without a licence do not record it.',
    'Dispositivos ativados usam {used} de {limit} licenças de {service}. Dispositivos ativados sem licença não o gravam.',
  ),
  licenses_used_up: text(
    'Licences are used up',
    'As licenças estão esgotadas',
    'Activated devices use {used} of {limit} licences of {service}. Newly activated devices do not record it; others continue.',
    'Dispositivos ativados usam {used} de {limit} licenças de {service}. Novos dispositivos não o gravam; os demais continuam.',
  ),
  proposal_waits: text(
    'A proposal awaits approval',
    'Uma proposta aguarda aprovação',
    'A legal hold release or shorter retention was proposed. A permitted person can approve or reject it within seven days on the Approvals page.',
    'Foi proposta a liberação de uma retenção legal ou a redução da retenção. Uma pessoa autorizada pode aprová-la ou rejeitá-la em até sete dias na página Aprovações.',
  ),
  data_request_due: text(
    'A data subject request is due',
    'Uma solicitação de titular está para vencer',
    'A data subject request is open and due in {days} days or less. Its page shows the legal deadline and the stored data.',
    'Uma solicitação de titular continua aberta e vence em {days} dias ou menos. A página dela mostra o prazo legal e os dados armazenados.',
  ),
  destruction_waits: text(
    'A destruction list awaits release',
    'Uma lista de destruição aguarda liberação',
    'A destruction list is complete. A person who did not save the policy reviews it on the retention page, removes exceptions and releases the rest.',
    'Uma lista de destruição está completa. Uma pessoa que não salvou a política a revisa na página de retenção, remove exceções e libera o restante.',
  ),
  retention_waits: text(
    'Retention is blocked',
    'A retenção está bloqueada',
    'Recordings due for more than {days} days remain: {receipts} await a receipt, {transfers} a transfer, {sign_offs} a migration sign-off, and {late} late data until it arrives or is written off. See the forecast on the retention page.',
    'Gravações vencidas há mais de {days} dias permanecem: {receipts} aguardam recebimento, {transfers} transferência, {sign_offs} aceite da migração e {late} dados atrasados, até chegarem ou receberem baixa. Consulte a previsão na página de retenção.',
  ),
  retention_behind: text(
    'Retention is behind schedule',
    'A retenção está atrasada',
    'For more than {days} days retention has not finished in this account. Nothing is lost, but due records remain. See the provider’s log for the reason.',
    'Há mais de {days} dias a retenção não é concluída nesta conta. Nada se perdeu, mas registros vencidos permanecem. O registro do provedor indica o motivo.',
  ),
  retention_restored: text(
    'Retention is paused after a restore',
    'A retenção está suspensa após uma restauração',
    'The archive was restored from a backup of {backup}. Legal holds placed since then are missing. Nothing is deleted or destroyed until retention is resumed.',
    'O arquivo foi restaurado de um backup de {backup}. Faltam as retenções legais aplicadas desde então. Nada é excluído nem destruído até a retenção ser retomada.',
  ),
  destruction_unfinished: text(
    'Incomplete destructions',
    'Destruições incompletas',
    'Keys or objects of {count} destroyed recordings remain after {minutes} minutes. They cannot be opened in the portal. See the provider’s log for the reason.',
    'Chaves ou objetos de {count} gravações destruídas permanecem após {minutes} minutos. Não podem ser abertos no portal. O registro do provedor indica o motivo.',
  ),
  transfer_failed: text(
    'A transfer failed',
    'Uma transferência falhou',
    'A run of the transfer {config} did not deliver all items. Failed: {failed}. The run lists the reasons and can send the failed items again.',
    'Uma execução da transferência {config} não entregou todos os itens. Com falha: {failed}. A execução mostra os motivos e pode reenviar esses itens.',
  ),
  transfer_host_key: text(
    'A transfer server has a different key',
    'A chave de um servidor de transferência mudou',
    'The host key of the transfer {config} differs from the pinned one. Nothing was sent. The server was reinstalled or the connection is intercepted.',
    'A chave de host da transferência {config} difere da fixada. Nada foi enviado. O servidor foi reinstalado ou a conexão está interceptada.',
  ),
  transfer_late: text(
    'A transfer started late',
    'Uma transferência começou com atraso',
    'The transfer {config} should have started at {since}. It starts now and covers the time since then.',
    'A transferência {config} deveria ter começado em {since}. Ela começa agora e abrange o período desde então.',
  ),
  transfer_role_narrowed: text(
    'A transfer delivers less than before',
    'Uma transferência entrega menos do que antes',
    'The role of the transfer {config} lost rights. No longer delivered: {types}, groups: {groups}. The run shows the number of omitted recordings.',
    'A função da transferência {config} perdeu direitos. Não são mais entregues: {types}, grupos: {groups}. A execução mostra o número de gravações omitidas.',
  ),
  transfer_unreconciled: text(
    'A reconciliation could not be sent',
    'Uma conciliação não pôde ser enviada',
    'The target of the transfer {config} refused the reconciliation of {days} days. It is sent again hourly.',
    'O destino da transferência {config} recusou a conciliação de {days} dias. Ela é reenviada a cada hora.',
  ),
  transfer_key_expires: text(
    'A transfer key expires',
    'Uma chave de transferência vence',
    'The OpenPGP key of the transfer {config} expires in {days} days. Replace it: nothing is sent after that.',
    'A chave OpenPGP da transferência {config} vence em {days} dias. Substitua-a: depois disso nada é enviado.',
  ),
  mail_gave_up: text(
    'Email alerts of a user do not arrive',
    'Os alertas por e-mail de um usuário não chegam',
    'Email alerts to {user_reference} failed for good: the mail server refused the address or was unreachable for days.',
    'Os alertas por e-mail a {user_reference} falharam definitivamente: o servidor de e-mail recusou o endereço ou ficou inacessível por dias.',
  ),
  migration_failed: text(
    'A migration failed, in whole or in part',
    'Uma migração falhou, no todo ou em parte',
    '{errors} rows of the legacy platform were not imported. The results show the reasons; correct the files, then retry the failed rows.',
    '{errors} linhas da plataforma legada não foram importadas. Os resultados mostram os motivos; corrija os arquivos e repita as linhas com falha.',
  ),
  migration_quarantined: text(
    'A migration file is infected',
    'Um arquivo de migração está infectado',
    'The scanner found malware in a file of the legacy platform. Nothing was imported. The results name the file.',
    'O antivírus encontrou malware em um arquivo da plataforma legada. Nada foi importado. Os resultados indicam o arquivo.',
  ),
  webhook_gave_up: text(
    'A webhook does not accept alerts',
    'Um webhook não aceita alertas',
    'Delivery to the webhook {webhook} failed for days and stopped. Its deliveries show the reason and can be sent again.',
    'A entrega ao webhook {webhook} falhou por dias e foi interrompida. As entregas mostram o motivo e podem ser reenviadas.',
  ),
  processing_stalls: text(
    'Recordings await processing',
    'Gravações aguardam processamento',
    'Processing keeps failing, for example because the malware scanner is unreachable. It is retried until it succeeds.',
    'O processamento continua falhando, por exemplo porque o antivírus está inacessível. Ele é repetido até concluir.',
  ),
  reference_reused: text(
    'A payload reference was used twice',
    'Uma referência de gravação foi usada duas vezes',
    'Device {device_reference} announced other data under a used reference. The first data is kept.',
    'O dispositivo {device_reference} anunciou outros dados com uma referência já usada. Os primeiros dados são mantidos.',
  ),
  data_damaged: text(
    'Stored data is damaged',
    'Dados armazenados estão danificados',
    'Stored data of a recording ({kind}) could not be verified when it was read.',
    'Dados armazenados de uma gravação ({kind}) não puderam ser verificados na leitura.',
  ),
  archive_damaged: text(
    'The archive check found faults',
    'A verificação do arquivo encontrou falhas',
    'Found: {found}. `custodia verify` names each of them.',
    'Encontrado: {found}. `custodia verify` mostra cada um.',
  ),
  sealed_log_contradicted: text(
    'The sealed log contradicts a checkpoint',
    'A trilha selada contradiz um ponto de verificação',
    'The page Sealed log names the checkpoint. Nothing is destroyed until the operator has resolved this.',
    'A página Trilha selada indica o ponto de verificação. Nada será destruído até que o operador resolva a divergência.',
  ),
  temporary_access_ends: text(
    'Temporary access ends soon',
    'Um acesso temporário termina em breve',
    'The access of {user} ends on {until} UTC.',
    'O acesso de {user} termina em {until} UTC.',
  ),
  recertification_due: text(
    'A recertification is due',
    'Uma recertificação está próxima do prazo',
    'The recertification {name} is due within three days, or overdue. Some people may have no decision yet.',
    'A recertificação {name} vence em até três dias ou já venceu. Pode haver pessoas sem decisão.',
  ),
  checkpoint_refused: text(
    'A recipient does not accept checkpoints',
    'Um destinatário não aceita pontos de verificação',
    '{recipient} has accepted no checkpoint of the sealed log for a day or since it was set.',
    '{recipient} não aceita nenhum ponto de verificação da trilha selada há um dia ou desde que foi definido.',
  ),
  archive_unverified: text(
    'The archive could not be checked',
    'O arquivo não pôde ser verificado',
    'The nightly check ended early: {reason}',
    'A verificação noturna terminou antes do fim: {reason}',
  ),
  job_failed: text(
    'A job failed for good',
    'Uma tarefa falhou definitivamente',
    'The job {job} failed in every attempt. See the worker log for the reason.',
    'A tarefa {job} falhou em todas as tentativas. O log do worker indica o motivo.',
  ),
  backup_failed: text('A backup failed', 'Uma cópia de segurança falhou', 'No backup was made: {reason}', 'Nenhuma cópia de segurança foi feita: {reason}'),
  space_low: text(
    'A disk is nearly full',
    'Um disco está quase cheio',
    '{folder} has {free} MB left. Free space: uploads are refused before it is full.',
    '{folder} tem {free} MB livres. Libere espaço: os envios são recusados antes que encha.',
  ),
  identity_provider_changed: text(
    'Identity provider changed',
    'Provedor de identidade alterado',
    'The people of this account now sign in at {issuer}. Proposed by {user}, confirmed by {confirmed_by}.',
    'As pessoas desta conta agora entram em {issuer}. Proposto por {user}, confirmado por {confirmed_by}.',
  ),
  claim_mapping_changed: text(
    'Mapping of claims to roles changed',
    'Mapeamento de declarações para funções alterado',
    'The claims of {issuer} give other roles and groups now. Proposed by {user}, confirmed by {confirmed_by}.',
    'As declarações de {issuer} agora dão outras funções e grupos. Proposto por {user}, confirmado por {confirmed_by}.',
  ),
  identity_provider_change_seconded: text(
    'Identity provider changes in 72 hours',
    'Provedor de identidade muda em 72 horas',
    '{user} and {confirmed_by} say that this account cannot sign in. In 72 hours its people sign in at {issuer}, unless an administrator of the account rejects the proposal.',
    '{user} e {confirmed_by} informam que esta conta não consegue entrar. Em 72 horas as pessoas entrarão em {issuer}, a menos que um administrador da conta rejeite a proposta.',
  ),
  identity_secret_changed: text(
    'Secret of the identity provider replaced',
    'Segredo do provedor de identidade substituído',
    '{user} replaced the secret with which the portal asks {issuer}.',
    '{user} substituiu o segredo com que o portal consulta {issuer}.',
  ),
  support_requested: text(
    'Support access requested',
    'Acesso de suporte solicitado',
    '{user} of the provider asks for access with the role {role}.',
    '{user}, do provedor, solicita acesso com a função {role}.',
  ),
  support_approved: text(
    'Support access approved',
    'Acesso de suporte aprovado',
    '{approved_by} approved access of {user} of the provider with the role {role} until {until} UTC.',
    '{approved_by} aprovou o acesso de {user}, do provedor, com a função {role} até {until} UTC.',
  ),
  role_used: text('A watched role was used', 'Uma função monitorada foi usada', '{user} used the role {role}.', '{user} usou a função {role}.'),
  escalated_by_mapping: escalated('changed the mapping of claims ({name})', 'alterou o mapeamento de declarações ({name})'),
  escalated_by_assignment: escalated('assigned roles to {name}', 'atribuiu funções a {name}'),
  escalated_by_role: escalated('saved the role {name}', 'salvou a função {name}'),
  escalated_by_role_deletion: escalated('deleted the role {name}', 'excluiu a função {name}'),
  escalated_by_group: escalated('saved the group {name}', 'salvou o grupo {name}'),
  escalated_by_tag: escalated('saved the tag {name}', 'salvou a etiqueta {name}'),
  escalated_by_tag_deletion: escalated('deleted the tag {name}', 'excluiu a etiqueta {name}'),
  escalated_by_move: text(
    ...ESCALATED,
    '{user} moved the device user {name} to another group and so gained rights over what they record: {rights}',
    '{user} moveu o usuário de dispositivo {name} para outro grupo e assim obteve direitos sobre o que grava: {rights}',
  ),
  escalated_by_confirmation: text(
    ...ESCALATED,
    '{user} confirmed whose the device {name} is and so gained rights over what it records: {rights}',
    '{user} confirmou de quem é o dispositivo {name} e assim obteve direitos sobre o que ele grava: {rights}',
  ),
  escalated_by_defaults: escalated('saved the account settings', 'salvou as configurações da conta'),
  escalated_by_migration: text(
    ...ESCALATED,
    '{user} started the migration {name}, which may move people into groups in which they have more rights: {rights}',
    '{user} iniciou a migração {name}, que pode mover pessoas para grupos em que ela própria tem mais direitos: {rights}',
  ),
  escalated_by_transfer: text(
    ...ESCALATED,
    '{user} saved the transfer config {name}, which delivers more than they may download: {rights}',
    '{user} salvou a configuração de transferência {name}, que entrega mais do que a pessoa pode baixar: {rights}',
  ),
  escalated_by_app: escalated('saved the client app {name}', 'salvou o aplicativo cliente {name}'),
  ...DEVICE_ALERT_TEXTS,
} as const satisfies Record<string, Text>
export type AlertTextCode = keyof typeof ALERT_TEXTS

/** The kind of incident of a text code, without suffix. The table `alerts` computes the same. */
export const getIncidentKind = (code: string): string => code.replace(/^(capture|escalated)_.*/, '$1')

/** Names of payload types within a sentence. */
const SERVICES: Readonly<Record<DeviceService, Phrase>> = {
  calls: phrase('calls', 'chamadas'),
  interviews: phrase('interviews', 'entrevistas'),
  gps: phrase('GPS', 'GPS'),
  photos: phrase('photos', 'fotos'),
  mms: phrase('MMS', 'MMS'),
  rcs: phrase('RCS', 'RCS'),
  sms: phrase('SMS', 'SMS'),
  videos: phrase('videos', 'vídeos'),
}
/** Replaces wire names of services with their display names; keeps other texts. */
const serviceNames = (names: string, locale: Locale): string =>
  names
    .split(', ')
    .map((name) => (Object.hasOwn(SERVICES, name) ? SERVICES[name as DeviceService][locale] : name))
    .join(', ')

/** Subject and message in a language; undefined for an unknown code. */
export function alertPhrases({ code, values }: AlertText, locale: Locale): { subject: string; message: string } | undefined {
  if (!Object.hasOwn(ALERT_TEXTS, code)) return undefined
  const { subject, message } = ALERT_TEXTS[code as AlertTextCode]
  const { failure = '' } = values
  const failures: Readonly<Record<string, Phrase>> = FAILURES
  const result = {
    // Older alerts of retention lack these counts.
    sign_offs: '0',
    ...values,
    ...(Object.hasOwn(failures, failure) && { failure: failures[failure]![locale] }),
    ...(values.service !== undefined && { service: serviceNames(values.service, locale) }),
    ...(values.services !== undefined && { services: serviceNames(values.services, locale) }),
  }
  return { subject: fill(subject[locale], result), message: fill(message[locale], result) }
}
