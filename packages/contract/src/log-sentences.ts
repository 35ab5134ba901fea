import { asked, did, type LogSentence, DEVICE_SENTENCES } from './device-log-sentences.ts'
import type { PayloadType } from './payload-types.ts'
import { type Phrase, phrase } from './phrases.ts'

export type { LogSentence } from './device-log-sentences.ts'

/** A sentence about records that retention destroyed. */
const destroyed = (en: string, pt: string): LogSentence => did(`destroyed {destroyed} due ${en}`, `destruiu {destroyed} ${pt}`)

/**
 * Sentences of the log in both languages, by action, or by method and path for a call without action. A test finds
 * missing ones. `{who}` is the caller; other placeholders are wire names of parameters.
 */
export const LOG_SENTENCES = {
  'session:sign_in': did('signed in', 'entrou no portal'),
  'session:refresh': asked('renewed the session', 'renovou a sessão'),
  'session:sign_out': did('signed out', 'saiu do portal'),
  'GET exchange': asked('signed in', 'entrou no portal'),
  'GET url': asked('requested the sign-in address', 'solicitou o endereço de acesso'),
  'GET demo_people': asked('looked up the people of the demo', 'consultou as pessoas da demonstração'),
  'GET account/metadata': asked('looked up the account name', 'consultou o nome da conta'),
  verify: did('confirmed a phone’s verification message', 'confirmou a mensagem de verificação de um telefone'),
  'profile:read': asked('loaded their own profile', 'carregou o próprio perfil'),
  'profile.exports:create': did('exported the list {list}', 'exportou a lista {list}'),
  'profile.terms:accept': did('accepted the terms', 'aceitou os termos'),
  'profile.alert_subscription:read': asked('looked up their email alerts', 'consultou seus alertas por e-mail'),
  'profile.alert_subscription:update': did('changed their email alerts', 'alterou seus alertas por e-mail'),
  'profile.alert_subscription:delete': did('ended their email alerts', 'encerrou seus alertas por e-mail'),
  'profile.alert_subscription:test': did('sent themselves a test email alert', 'enviou a si um alerta de teste por e-mail'),
  'profile.alert_subscription:check': did('changed the address for email alerts', 'alterou o endereço dos alertas por e-mail'),
  'profile.alert_subscription:confirm': did('confirmed the address for email alerts', 'confirmou o endereço dos alertas por e-mail'),
  'dashboard:read': asked('loaded the start page', 'carregou a página inicial'),

  'payloads:list': asked('looked through a list of recordings', 'consultou uma lista de gravações'),
  'payloads:search': asked('searched the words of messages and notes', 'pesquisou palavras de mensagens e notas'),
  'payloads.snippets:read': did('read passages of search results', 'leu trechos de resultados da busca'),
  'payloads:read': did('looked up {payload_reference}', 'consultou {payload_reference}'),
  // The portal loads what may be opened next; opening it makes an entry of its own.
  'payloads:preload': asked('loaded the facts of {payload_reference} in advance', 'carregou antecipadamente os dados de {payload_reference}'),
  'payloads:play': did('played {payload_reference}', 'reproduziu {payload_reference}'),
  'payloads:download': did('downloaded {payload_reference}', 'baixou {payload_reference}'),
  // Each page of a recording makes this call.
  'payloads.audit:read': asked('read the audit log of {payload_reference}', 'consultou a trilha de auditoria de {payload_reference}'),
  'payloads.access:list': did('looked up who may open {payload_reference}', 'consultou quem pode abrir {payload_reference}'),
  'payloads.access:report': did('saw who could open {payload_reference} and who did', 'consultou quem podia abrir e quem abriu {payload_reference}'),
  'devices.sms:list': asked('looked through the conversations of the device {device_reference}', 'consultou as conversas do dispositivo {device_reference}'),
  'devices.sms:read': did('read the conversation of {holder} with {thread_id}', 'leu a conversa de {holder} com {thread_id}'),
  'payloads.comments:list': asked('read the comments on {payload_reference}', 'leu os comentários sobre {payload_reference}'),
  'comments:list': asked('looked through a list of comments', 'consultou uma lista de comentários'),
  'payloads.comments:create': did('commented on {payload_reference}', 'comentou {payload_reference}'),
  'payloads.comments:update': did('changed a comment on {payload_reference}', 'alterou um comentário sobre {payload_reference}'),
  'payloads.comments:close': did('closed a comment on {payload_reference}', 'encerrou um comentário sobre {payload_reference}'),
  'payloads.comments:history': did('read closed comments', 'leu comentários encerrados'),
  // Each page of a recording makes this call.
  'payloads.marks:list': asked('read the review marks of {payload_reference}', 'consultou as marcas de revisão de {payload_reference}'),
  'payloads.marks:create': did('marked {payload_reference}: {mark}', 'marcou {payload_reference}: {mark}'),
  'payloads.marks:withdraw': did('withdrew review marks of {recordings}', 'desmarcou {recordings}'),
  'payloads.marks:decide': did('closed the escalation of {payload_reference}', 'encerrou a escalação de {payload_reference}'),
  'payloads.playhead:update': asked('saved the playback position in {payload_reference}', 'salvou a posição de reprodução em {payload_reference}'),
  'reviews:list': did('looked up the review coverage', 'consultou a cobertura de revisão'),
  'account.review:update': did('changed the review settings', 'alterou as configurações de revisão'),
  'payloads:export': did('prepared {recordings} for download (export {export_id})', 'preparou {recordings} para download (exportação {export_id})'),
  'payloads.exports:list': asked('looked up own exports', 'consultou as próprias exportações'),
  'payloads.exports:delete': did('cancelled the export {export_id}', 'cancelou a exportação {export_id}'),
  // The server writes this entry itself.
  'operator:bootstrap': did(
    'created the account of the provider; its first administrator is {first_administrator}',
    'criou a conta do provedor; o primeiro administrador é {first_administrator}',
  ),
  'operator:first_administrator': did(
    'named {first_administrator} as first administrator of {client}',
    'nomeou {first_administrator} como primeiro administrador de {client}',
  ),
  'operator:resolve_sealed_log': did(
    'accepted that the sealed log contradicts a checkpoint: {reason}',
    'aceitou que a trilha selada contradiz um ponto de verificação: {reason}',
  ),
  'operator:lift_two_people': did('removed dual control: {reason}', 'removeu a dupla aprovação: {reason}'),
  'integrity:check': did(
    'checked the archive and opened {opened} recordings; findings: {findings}',
    'verificou o arquivo e abriu {opened} gravações; achados: {findings}',
  ),
  'identity:change': did(
    'changed the sign-in of {client} to {issuer}, proposed by {proposed_by}, confirmed by {confirmed_by}',
    'alterou o acesso de {client} para {issuer}, proposto por {proposed_by}, confirmado por {confirmed_by}',
  ),
  'retention:destroy_positions': destroyed('positions of phones', 'posições vencidas de telefones'),
  'retention:destroy_telemetry': destroyed('telemetry reports', 'relatórios de telemetria vencidos'),
  'retention:destroy_logs': destroyed('phone logs', 'registros de telefones vencidos'),
  'retention:destroy_commands': destroyed('commands to phones', 'comandos a telefones vencidos'),
  'retention:destroy_device_activities': destroyed('entries of the phone audit log', 'entradas vencidas da auditoria de telefones'),
  'retention:destroy_activities': destroyed('entries of this log', 'entradas vencidas desta trilha'),
  'retention:destroy_sessions': destroyed('sessions', 'sessões vencidas'),
  'retention:destroy_acceptances': destroyed('acceptances of terms', 'aceites de termos vencidos'),
  'retention:destroy_support_requests': destroyed('support access requests', 'solicitações de acesso de suporte vencidas'),
  'retention:destroy_transfers': destroyed('transfer runs with their items', 'execuções de transferência vencidas com seus itens'),
  'retention:destroy_migrations': destroyed('migration runs with their results', 'execuções de migração vencidas com seus resultados'),
  'retention:destroy_data_requests': did(
    'destroyed {destroyed} data subject requests closed at least {kept_days} days ago, with notes and reasons',
    'destruiu {destroyed} solicitações de titulares encerradas há pelo menos {kept_days} dias, com notas e motivos',
  ),
  'retention:delete_devices': did('deleted {deleted} long unused devices: {references}', 'excluiu {deleted} dispositivos há muito sem uso: {references}'),
  'retention:delete_device_users': did(
    'deleted {deleted} long offboarded device users: {references}',
    'excluiu {deleted} usuários de dispositivo desligados há muito: {references}',
  ),
  'retention:destroy_devices': destroyed('deleted devices except their references', 'dispositivos excluídos vencidos, exceto as referências'),
  'retention:destroy_device_users': destroyed(
    'deleted device users except their references',
    'usuários de dispositivo excluídos vencidos, exceto as referências',
  ),
  'retention:delete': did('deleted {deleted} due recordings', 'excluiu {deleted} gravações vencidas'),
  'retention:destroy': did('permanently destroyed {destroyed} due recordings', 'destruiu definitivamente {destroyed} gravações vencidas'),
  'payloads:write_off': did('wrote off {payload_reference}', 'deu baixa em {payload_reference}'),
  'payloads:restore': did('restored deleted recordings', 'restaurou gravações excluídas'),
  'receipts:confirm': did('confirmed the receipt of {recordings}', 'confirmou o recebimento de {recordings}'),

  'activities:list': asked('read the audit log of people', 'consultou a auditoria de pessoas'),
  'device_activities:list': asked('read the audit log of phones', 'consultou a auditoria de telefones'),

  'alerts:list': asked('looked through the alerts', 'consultou os alertas'),
  'alerts.summary:read': asked('counted the open alerts', 'contou os alertas abertos'),
  'alerts:read': did('opened the alert {alert_reference}', 'abriu o alerta {alert_reference}'),
  'alerts:clear': did('cleared {alerts}: {cleared_reason}', 'encerrou {alerts}: {cleared_reason}'),
  'alerts:dismiss': did('dismissed {alerts} for themselves', 'dispensou {alerts} para si'),

  'users:list': asked('looked through the device users', 'consultou os usuários de dispositivo'),
  'users:read': did('opened the device user {device_user_reference}', 'abriu o usuário de dispositivo {device_user_reference}'),
  'users:create': did('added the device user {device_user_reference}', 'adicionou o usuário de dispositivo {device_user_reference}'),
  'users:update': did('saved the device user {device_user_reference}', 'salvou o usuário de dispositivo {device_user_reference}'),
  'users:delete': did('deleted the device user {device_user_reference}', 'excluiu o usuário de dispositivo {device_user_reference}'),

  'users:import': did('imported a file of device users', 'importou um arquivo de usuários de dispositivo'),
  'users:review': asked('previewed a device user import', 'visualizou a prévia de uma importação de usuários de dispositivo'),
  'users.devices:list': asked('looked up the phones of {device_user_reference}', 'consultou os telefones de {device_user_reference}'),
  'users.numbers:read': asked('looked up the numbers of {device_user_reference}', 'consultou os números de {device_user_reference}'),
  'users.queue:read': asked('looked up the pending recordings of {device_user_reference}', 'consultou as gravações pendentes de {device_user_reference}'),
  'users.capture_gaps:list': asked('looked up the capture gaps of {device_user_reference}', 'consultou as lacunas de captura de {device_user_reference}'),
  'capture_gaps:list': asked('looked through the capture gaps', 'consultou as lacunas de captura'),
  'users.payloads:list': asked('looked through the recordings of {device_user_reference}', 'consultou as gravações de {device_user_reference}'),
  'devices:list': asked('looked through the devices', 'consultou os dispositivos'),
  'devices:read': did('opened the device {device_reference}', 'abriu o dispositivo {device_reference}'),
  'devices:deactivate': did('deactivated the device {device_reference}', 'desativou o dispositivo {device_reference}'),
  'devices:block': did('reported the device {device_reference} lost or stolen', 'deu o dispositivo {device_reference} como perdido ou roubado'),
  'devices:unblock': did('unblocked the device {device_reference}', 'desbloqueou o dispositivo {device_reference}'),
  'devices:delete': did('deleted the device {device_reference}', 'excluiu o dispositivo {device_reference}'),
  'devices.holder:confirm': did('decided on the holder of the device {device_reference}', 'decidiu sobre o portador do dispositivo {device_reference}'),
  'devices.holder:decide': did('decided on pending devices: {decision}', 'decidiu sobre dispositivos pendentes: {decision}'),
  'devices.holder:review': asked('previewed a decision on pending devices', 'visualizou a prévia de uma decisão sobre dispositivos pendentes'),
  'GET identity': asked('requested the sign-in address on a phone', 'solicitou o endereço de acesso em um telefone'),
  'POST identity': did('signed in on a phone', 'entrou em um telefone'),
  'devices.enrolments:list': asked('looked through the enrolments of phones', 'consultou os cadastros de telefones'),
  // The portal repeats it while it waits for the device.
  'devices.enrolments:read': asked('looked up the enrolment {enrolment_reference}', 'consultou o cadastro {enrolment_reference}'),
  'devices.enrolments:create': did('created a bulk enrolment', 'criou um cadastro em massa'),
  'users.enrolments:create': did(
    'created an enrolment for a phone of {device_user_reference}',
    'criou um cadastro para um telefone de {device_user_reference}',
  ),
  'POST enrolments/opened': did('showed the code of {device_user_reference}', 'mostrou o código de {device_user_reference}'),
  'devices.enrolments:delete': did('revoked the enrolment {enrolment_reference}', 'revogou o cadastro {enrolment_reference}'),
  'devices.history:read': asked('looked up the holders of the device {device_reference}', 'consultou os portadores do dispositivo {device_reference}'),
  'devices.numbers:read': asked('looked up the numbers of the device {device_reference}', 'consultou os números do dispositivo {device_reference}'),
  'commands:list': asked('looked through the commands to phones', 'consultou os comandos para telefones'),
  'devices.commands:list': asked('looked up the commands to the device {device_reference}', 'consultou os comandos ao dispositivo {device_reference}'),
  'devices.commands:send': did('sent the device {device_reference} the command {command}', 'enviou ao dispositivo {device_reference} o comando {command}'),
  'device_logs:list': asked('looked through the phone logs', 'consultou os registros de telefones'),
  'devices.logs:list': asked('looked up the logs of the device {device_reference}', 'consultou os registros do dispositivo {device_reference}'),
  'users.logs:list': asked('looked up the phone logs of {device_user_reference}', 'consultou os registros dos telefones de {device_user_reference}'),
  'payloads.places:read': did('looked up the places of {recordings}', 'consultou os locais de {recordings}'),
  'gps:list': did('looked up the last positions of phones', 'consultou as últimas posições de telefones'),
  'devices.gps:list': did('looked up the positions of the device {device_reference}', 'consultou as posições do dispositivo {device_reference}'),
  'users.gps:list': did('looked up the phone positions of {device_user_reference}', 'consultou as posições dos telefones de {device_user_reference}'),
  'metrics:list': asked('looked up the upload metrics', 'consultou as métricas de envio'),
  'telemetry:list': asked('looked through the phone telemetry', 'consultou a telemetria de telefones'),
  'devices.telemetry:list': asked('looked up the telemetry of the device {device_reference}', 'consultou a telemetria do dispositivo {device_reference}'),
  'devices.telemetry:read': asked(
    'opened a report of the device {device_reference} with its numbers and applications',
    'abriu um relatório do dispositivo {device_reference} com seus números e aplicativos',
  ),
  'devices.payloads:list': asked('looked through the recordings of the device {device_reference}', 'consultou as gravações do dispositivo {device_reference}'),

  'groups:list': asked('looked through the groups', 'consultou os grupos'),
  'groups:read': did('opened the group {group_reference}', 'abriu o grupo {group_reference}'),
  'groups:update': did('saved the group {group_reference}', 'salvou o grupo {group_reference}'),
  'groups:review': asked('previewed a change of the group {group_reference}', 'visualizou a prévia de uma alteração do grupo {group_reference}'),
  'groups:delete': did('deleted the group {group_reference}', 'excluiu o grupo {group_reference}'),
  'people:list': asked('looked through the people', 'consultou as pessoas'),
  'people:read': did('looked up the person {user_reference}', 'consultou a pessoa {user_reference}'),
  'people.access:read': did('looked up what {user_reference} may do', 'consultou o que {user_reference} pode fazer'),
  'people.roles:review': asked('had the assignment of roles to {user_reference} reviewed', 'pediu a revisão da atribuição de funções a {user_reference}'),
  'people.roles:update': did('assigned roles to {user_reference}', 'atribuiu funções a {user_reference}'),
  'people.recertifications:list': asked('looked through the recertifications', 'consultou as recertificações'),
  'people.recertifications:read': asked('looked up the recertification {recertification_reference}', 'consultou a recertificação {recertification_reference}'),
  'people.recertifications:create': did('started the recertification {name}', 'iniciou a recertificação {name}'),
  'people.recertifications:update': did('decided in the recertification {recertification_reference}', 'decidiu na recertificação {recertification_reference}'),
  'people.sessions:end': did('ended a session of {user_reference}', 'encerrou uma sessão de {user_reference}'),
  'roles:list': asked('looked through the roles', 'consultou as funções'),
  'roles:read': did('opened the role {role_reference}', 'abriu a função {role_reference}'),
  'roles:update': did('saved the role {role_reference}', 'salvou a função {role_reference}'),
  'roles:review': asked('previewed a change of the role {role_reference}', 'visualizou a prévia de uma alteração da função {role_reference}'),
  'roles:delete': did('deleted the role {role_reference}', 'excluiu a função {role_reference}'),
  'tags:list': asked('looked through the tags', 'consultou as etiquetas'),
  'tags:read': did('opened the tag {tag_key}', 'abriu a etiqueta {tag_key}'),
  'tags:update': did('saved the tag {tag_key}', 'salvou a etiqueta {tag_key}'),
  'tags:review': asked('previewed a change of the tag {tag_key}', 'visualizou a prévia de uma alteração da etiqueta {tag_key}'),
  'tags:delete': did('deleted the tag {tag_key}', 'excluiu a etiqueta {tag_key}'),

  'account.migration:read': asked('looked up the migration settings', 'consultou as configurações de migração'),
  'account.migration:update': did('saved the migration settings', 'salvou as configurações de migração'),
  'migrations:list': asked('looked through the migrations', 'consultou as migrações'),
  'migrations.files:list': asked('looked up the files of a migration', 'consultou os arquivos de uma migração'),
  'migrations.files:update': did('uploaded part of the migration file {filename}', 'enviou parte do arquivo de migração {filename}'),
  'migrations.files:delete': did('removed the migration file {filename}', 'removeu o arquivo de migração {filename}'),
  'migrations:create': did('started a migration', 'iniciou uma migração'),
  'migrations:run': did('retried the failed rows of the migration {migration_reference}', 'repetiu as linhas com falha da migração {migration_reference}'),
  'migrations:sign': did('accepted the migration {migration_reference}', 'aceitou a migração {migration_reference}'),
  'migrations:erase': did('erased files of the migration {migration_reference}', 'apagou arquivos da migração {migration_reference}'),
  'migrations:read': did('opened the migration {migration_reference}', 'abriu a migração {migration_reference}'),
  'account.defaults:read': did('opened the account settings', 'abriu as configurações da conta'),
  // Its preview has the same action.
  'account.defaults:update': did('saved or previewed the account settings', 'salvou ou visualizou a prévia das configurações da conta'),
  'account.data_requests:list': asked('looked through the data subject requests', 'consultou as solicitações de titulares'),
  'account.data_requests:read': did(
    'opened the data subject request {data_request_id} or its report',
    'abriu a solicitação de titular {data_request_id} ou seu relatório',
  ),
  'account.data_requests:create': did('recorded the data subject request {data_request_id}', 'registrou a solicitação de titular {data_request_id}'),
  'account.data_requests:copy': did(
    'created a copy of recordings for the request {data_request_id}',
    'gerou uma cópia de gravações para a solicitação {data_request_id}',
  ),
  'account.data_requests:update': did('closed the data subject request {data_request_id}', 'encerrou a solicitação de titular {data_request_id}'),
  'account.legal_holds:list': asked('looked through the legal holds', 'consultou as retenções legais'),
  'account.legal_holds:read': did('opened the legal hold of {target}', 'abriu a retenção legal de {target}'),
  'account.legal_holds:update': did('placed {target} on legal hold', 'colocou {target} sob retenção legal'),
  'account.legal_holds:delete': did('released the legal hold of {target}', 'liberou a retenção legal de {target}'),
  'account.legal_matters:list': asked('looked through the legal matters', 'consultou os casos jurídicos'),
  'account.legal_matters:read': did('opened the legal matter {matter_id}', 'abriu o caso jurídico {matter_id}'),
  'account.legal_matters:create': did('created the legal matter {name}', 'criou o caso jurídico {name}'),
  'account.legal_matters:update': did('placed people on hold for the matter {matter_id}', 'colocou pessoas sob retenção legal pelo caso {matter_id}'),
  'account.legal_matters:delete': did('closed the matter {matter_id}', 'encerrou o caso {matter_id}'),
  'account.proposals:list': asked('looked through the approvals', 'consultou as aprovações'),
  'account.proposals:read': did('opened the proposal {proposal_id}', 'abriu a proposta {proposal_id}'),
  'account.proposals:update': did('decided on the proposal {proposal_id}', 'decidiu sobre a proposta {proposal_id}'),
  'account.destructions:list': asked('looked through the destruction lists', 'consultou as listas de destruição'),
  'account.destructions:read': did('opened the destruction list {destruction_reference}', 'abriu a lista de destruição {destruction_reference}'),
  'account.destructions:update': did('decided on the destruction list {destruction_reference}', 'decidiu sobre a lista de destruição {destruction_reference}'),
  'account.two_people:read': asked('looked up the dual control setting', 'consultou a configuração de dupla aprovação'),
  'account.two_people:update': did('proposed a dual control setting', 'propôs uma configuração de dupla aprovação'),
  'account.retention:read': asked('opened the retention policy, its versions or a preview', 'abriu a política de retenção, suas versões ou uma prévia'),
  'account.retention:update': did('saved, paused or resumed the retention policy', 'salvou, suspendeu ou retomou a política de retenção'),
  'account.identity:read': asked('looked up the identity provider and the claim mapping', 'consultou o provedor de identidade e o mapeamento de declarações'),
  'account.identity:update': did('changed or proposed the claim mapping', 'alterou ou propôs o mapeamento de declarações'),
  'account.identity:review': asked('previewed a change of the claim mapping', 'visualizou a prévia de uma alteração do mapeamento de declarações'),
  'account.identity:preview': did('previewed the rights of an ID token', 'visualizou a prévia dos direitos de um token de identidade'),
  'account.apps:list': asked('looked through the client apps', 'consultou os aplicativos do cliente'),
  'account.apps:read': did('opened the client app {app_reference}', 'abriu o aplicativo do cliente {app_reference}'),
  'account.apps:create': did('added the client app {app_reference}', 'adicionou o aplicativo do cliente {app_reference}'),
  'account.apps:update': did('saved the client app {app_reference}', 'salvou o aplicativo do cliente {app_reference}'),
  'account.apps:review': asked(
    'previewed a change of the client app {app_reference}',
    'visualizou a prévia de uma alteração do aplicativo do cliente {app_reference}',
  ),
  'account.apps:delete': did('deleted the client app {app_reference}', 'excluiu o aplicativo do cliente {app_reference}'),
  'account.apps:test': did('tested a token of the client app {app_reference}', 'testou um token do aplicativo do cliente {app_reference}'),
  'account.webhooks:list': asked('looked through the webhooks', 'consultou os webhooks'),
  'account.webhooks:create': did('added the webhook {description}', 'adicionou o webhook {description}'),
  'account.webhooks:update': did('saved the webhook {webhook_reference}', 'salvou o webhook {webhook_reference}'),
  'account.webhooks:delete': did('deleted the webhook {webhook_reference}', 'excluiu o webhook {webhook_reference}'),
  'account.webhooks:test': did('sent a test to the webhook {webhook_reference}', 'enviou um teste ao webhook {webhook_reference}'),
  'account.webhooks:resend': did('sent a delivery to the webhook {webhook_reference} again', 'reenviou uma entrega ao webhook {webhook_reference}'),
  'transfer_configs:list': asked('looked through the transfer configs', 'consultou as configurações de transferência'),
  'transfer_configs:read': did('opened the transfer config {transfer_config_reference}', 'abriu a configuração de transferência {transfer_config_reference}'),
  'transfer_configs:create': did(
    'added the transfer config {transfer_config_reference}',
    'adicionou a configuração de transferência {transfer_config_reference}',
  ),
  'transfer_configs:update': did('saved the transfer config {transfer_config_reference}', 'salvou a configuração de transferência {transfer_config_reference}'),
  'transfer_configs:review': asked(
    'had a change of the transfer config {transfer_config_reference} reviewed',
    'pediu a revisão de uma alteração da configuração de transferência {transfer_config_reference}',
  ),
  'transfer_configs:delete': did(
    'deleted the transfer config {transfer_config_reference}',
    'excluiu a configuração de transferência {transfer_config_reference}',
  ),
  'transfer_configs:run': did('ran the transfer config {transfer_config_reference}', 'executou a configuração de transferência {transfer_config_reference}'),
  'transfer_configs:test': did(
    'tested a target of the transfer config {transfer_config_reference}',
    'testou um destino da configuração de transferência {transfer_config_reference}',
  ),
  'transfers:deliver': did(
    'sent {payload_reference} to the storage of {transfer_config_reference}',
    'enviou {payload_reference} ao armazenamento de {transfer_config_reference}',
  ),
  'transfers:reconcile': did(
    'sent the reconciliation of {payload_date} to the storage of {transfer_config_reference}',
    'enviou a conciliação de {payload_date} ao armazenamento de {transfer_config_reference}',
  ),
  'transfer_reconciliations:list': asked('looked through the reconciliations of transfers', 'consultou as conciliações de transferências'),
  'transfer_reconciliations:read': did('opened the reconciliation {reconciliation_reference}', 'abriu a conciliação {reconciliation_reference}'),
  'transfers:list': asked('looked through the transfers', 'consultou as transferências'),
  'transfers:read': did('opened the transfer {transfer_id}', 'abriu a transferência {transfer_id}'),
  'transfers:run': did('sent the failed items of the transfer {transfer_id} again', 'reenviou os itens com falha da transferência {transfer_id}'),
  'licenses:list': asked('looked up the licences', 'consultou as licenças'),
  'supportaccess:list': asked('looked through the support access requests', 'consultou as solicitações de acesso de suporte'),
  'supportaccess:read': did('opened the support access request {request_reference}', 'abriu a solicitação de acesso de suporte {request_reference}'),
  'supportaccess:decide': did(
    'decided on the support access request {request_reference}: {approval_state}',
    'decidiu sobre a solicitação de acesso de suporte {request_reference}: {approval_state}',
  ),

  'internal.clients:list': asked('looked through the clients', 'consultou os clientes'),
  'internal.clients:preview': did('previewed the rights of an ID token in {client}', 'visualizou a prévia dos direitos de um token de identidade em {client}'),
  'internal.clients:create': did('created the client {client}', 'criou o cliente {client}'),
  'internal.clients:suspend': did('suspended the client {client}: {reason}', 'suspendeu o cliente {client}: {reason}'),
  'internal.clients:resume': did('resumed the client {client}', 'reativou o cliente {client}'),
  'internal.clients:delete': did(
    'proposed, confirmed or withdrew the deletion of the client {client}',
    'propôs, confirmou ou retirou a exclusão do cliente {client}',
  ),
  'internal.clients:update': did('proposed, seconded or withdrew a sign-in change of {client}', 'propôs, apoiou ou retirou uma mudança de acesso de {client}'),
  'internal.staff:list': asked('looked through the provider’s staff', 'consultou a equipe do provedor'),
  'internal.statistics:read': asked('looked up the statistics', 'consultou as estatísticas'),
  'internal.telemetry:list': asked('looked through the phone telemetry of all clients', 'consultou a telemetria de telefones de todos os clientes'),
  'internal.clients.telemetry:list': asked('looked through the phone telemetry of {client}', 'consultou a telemetria de telefones de {client}'),
  'internal.countries:list': asked('looked through the carriers', 'consultou as operadoras'),
  'internal.roles:list': asked('looked through the roles of {client}', 'consultou as funções de {client}'),
  'internal.licenses:list': asked('looked through the licences of all clients', 'consultou as licenças de todos os clientes'),
  'internal.licenses:update': did('set the licences of {client}', 'definiu as licenças de {client}'),
  'internal.alerts:list': asked('looked through the alerts of all clients', 'consultou os alertas de todos os clientes'),
  'internal.alerts:read': did('opened the alert {alert_reference} of {client}', 'abriu o alerta {alert_reference} de {client}'),
  'internal.alerts:clear': did('cleared alerts of {client}: {cleared_reason}', 'encerrou alertas de {client}: {cleared_reason}'),
  'internal.alerts:dismiss': did('dismissed alerts of {client} for themselves', 'dispensou alertas de {client} para si'),
  'internal.alerts:notify': did('sent a notice to clients', 'enviou um aviso a clientes'),
  'internal.supportaccess:list': asked('looked through the support access requests', 'consultou as solicitações de acesso de suporte'),
  'internal.supportaccess:read': did('opened the support access request {request_reference}', 'abriu a solicitação de acesso de suporte {request_reference}'),
  'internal.supportaccess:request': did('requested support access', 'solicitou acesso de suporte'),
  'internal.supportaccess:cancel': did(
    'withdrew the support access request {request_reference}',
    'retirou a solicitação de acesso de suporte {request_reference}',
  ),
  'internal.support_mode:start': did(
    'entered support mode under the approval {request_reference}',
    'entrou no modo de suporte com a aprovação {request_reference}',
  ),
  'internal.support_mode:end': did('left support mode under the approval {request_reference}', 'saiu do modo de suporte com a aprovação {request_reference}'),

  ...DEVICE_SENTENCES,
} as const satisfies Readonly<Record<string, LogSentence>>

/** Calls whose handlers write entries under other names. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  'PUT uploads/{token}': 'PUT uploads',
  'POST verify': 'verify',
}

/** Log name of a call without action. */
export function loggedName({ method, path }: { method: string; path: string }): string {
  const name = `${method} ${path}`
  return OWN_NAMES[name] ?? name
}

/** The sentence of an action; undefined for a retired action. */
export const logSentence = (action: string): LogSentence | undefined =>
  Object.hasOwn(LOG_SENTENCES, action) ? LOG_SENTENCES[action as keyof typeof LOG_SENTENCES] : undefined

/** Replaces a sentence where data was requested and not delivered. */
export const ASKED_ONLY = {
  'payloads:play': did('requested playback of {payload_reference}', 'solicitou a reprodução de {payload_reference}'),
  'payloads:download': did('requested a download of {payload_reference}', 'solicitou o download de {payload_reference}'),
} as const

/** Replaces the sentence of a play for photos and messages. */
export const OPENED = did('opened {payload_reference}', 'abriu {payload_reference}')

/** An act that waits for a second person, and a refused or failed attempt. `{act}` is the sentence of the action. */
export const NOT_DONE = {
  proposed: phrase('Proposed: {act}', 'Proposto: {act}'),
  denied: phrase('Denied: {act}', 'Negado: {act}'),
  failed: phrase('Failed: {act}', 'Falhou: {act}'),
} as const

export const BACKGROUND_NAMES: readonly string[] = /* @__PURE__ */ Object.entries<LogSentence>(LOG_SENTENCES)
  .filter(([, { is_background }]) => is_background)
  .map(([name]) => name)

/** Names of recordings in a sentence; in Portuguese with the article. */
export const RECORDING_PHRASES: Readonly<Record<PayloadType, Phrase>> = {
  Call: phrase('call', 'a chamada'),
  AbortedCall: phrase('aborted call', 'a chamada não completada'),
  BlockedCall: phrase('blocked call', 'a chamada bloqueada'),
  Diagnostics: phrase('diagnostics', 'o diagnóstico'),
  Interview: phrase('interview', 'a entrevista'),
  Photo: phrase('photo', 'a foto'),
  Video: phrase('video', 'o vídeo'),
  MMS: phrase('MMS', 'o MMS'),
  RCS: phrase('RCS message', 'a mensagem RCS'),
  SMS: phrase('SMS', 'o SMS'),
}
