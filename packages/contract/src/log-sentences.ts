import type { PayloadType } from './payload-types.ts'
import { asked, did, type LogSentence } from './log-sentence.ts'
import { PHONE_SENTENCES } from './phone-log-sentences.ts'
import { type Phrase, phrase } from './phrases.ts'

export type { LogSentence } from './log-sentence.ts'

/**
 * What an entry of the log says of an act, in both languages: one sentence for each action, and for each call without one under
 * its method and path; a test finds endpoints that have none. `{who}` is the caller; the other placeholders are parameters of the call
 * under their names on the wire.
 */
export const LOG_SENTENCES = {
  'session:sign_in': did('signed in', 'entrou no portal'),
  'session:refresh': asked('stayed signed in', 'continuou no portal'),
  'session:sign_out': did('signed out', 'saiu do portal'),
  'GET exchange': asked('signed in', 'entrou no portal'),
  'GET url': asked('asked where to sign in', 'perguntou onde entrar'),
  'GET demo_people': asked('looked up the people of the demo', 'consultou as pessoas da demonstração'),
  'GET account/metadata': asked('looked up how the account is called', 'consultou como a conta se chama'),
  verify: did(
    'confirmed a phone’s verification message',
    'confirmou a mensagem de verificação de um telefone',
  ),
  'profile:read': asked('loaded their own profile', 'carregou o próprio perfil'),
  'profile.exports:create': did('exported the list {list}', 'exportou a lista {list}'),
  'profile.terms:accept': did('accepted the terms', 'aceitou os termos'),
  'profile.alert_subscription:read': asked(
    'looked up which alerts they are mailed',
    'consultou quais alertas recebe por e-mail',
  ),
  'profile.alert_subscription:update': did(
    'chose which alerts they are mailed',
    'escolheu quais alertas recebe por e-mail',
  ),
  'profile.alert_subscription:delete': did('ended alerts by e-mail', 'encerrou os alertas por e-mail'),
  'profile.alert_subscription:test': did(
    'had a test of alerts mailed to themselves',
    'mandou enviar a si um teste dos alertas por e-mail',
  ),
  'profile.alert_subscription:check': did(
    'gave another address for alerts by e-mail',
    'informou outro endereço para alertas por e-mail',
  ),
  'profile.alert_subscription:confirm': did(
    'confirmed an address for alerts by e-mail',
    'confirmou um endereço para alertas por e-mail',
  ),
  'dashboard:read': asked('loaded the start page', 'carregou a página inicial'),

  'payloads:list': asked('looked through a list of recordings', 'consultou uma lista de gravações'),
  'payloads:search': asked(
    'searched the words of messages and notes',
    'pesquisou palavras de mensagens e notas',
  ),
  'payloads:read': did('looked up {payload_reference}', 'consultou {payload_reference}'),
  'payloads:play': did('played {payload_reference}', 'reproduziu {payload_reference}'),
  'payloads:download': did('downloaded {payload_reference}', 'baixou {payload_reference}'),
  // With every page of a recording.
  'payloads.audit:read': asked(
    'read who did what with {payload_reference}',
    'consultou quem fez o que com {payload_reference}',
  ),
  'devices.sms:list': asked(
    'looked through the conversations of the device {device_reference}',
    'consultou as conversas do dispositivo {device_reference}',
  ),
  'devices.sms:read': did(
    'read the conversation {thread_id} of the phone {device_reference}',
    'leu a conversa {thread_id} do telefone {device_reference}',
  ),
  'payloads.comments:list': asked(
    'read the comments on {payload_reference}',
    'leu os comentários sobre {payload_reference}',
  ),
  'comments:list': asked('looked through a list of comments', 'consultou uma lista de comentários'),
  'payloads.comments:create': did('commented on {payload_reference}', 'comentou {payload_reference}'),
  'payloads.comments:update': did(
    'changed a comment on {payload_reference}',
    'alterou um comentário sobre {payload_reference}',
  ),
  'payloads.comments:close': did(
    'closed a comment on {payload_reference}',
    'encerrou um comentário sobre {payload_reference}',
  ),
  'payloads.comments:history': did('read closed comments', 'leu comentários encerrados'),
  // With every page of a recording.
  'payloads.marks:list': asked(
    'read what reviewers made of {payload_reference}',
    'leu o que revisores fizeram de {payload_reference}',
  ),
  'payloads.marks:create': did('marked {payload_reference}: {mark}', 'marcou {payload_reference}: {mark}'),
  'payloads.marks:decide': did(
    'closed the escalation of {payload_reference}',
    'encerrou a escalação de {payload_reference}',
  ),
  'payloads.playhead:update': asked(
    'had it kept where they stopped in {payload_reference}',
    'guardou onde parou em {payload_reference}',
  ),
  'reviews:list': did('counted what reviewers looked at', 'contou o que os revisores examinaram'),
  'account.review:update': did('changed the settings of reviewing', 'alterou as configurações da revisão'),
  'payloads:export': did('exported recordings with their data', 'exportou gravações com os dados'),
  // Of the server itself.
  'operator:bootstrap': did(
    'created the account of the provider; its first administrator is {first_administrator}',
    'criou a conta do provedor; o primeiro administrador é {first_administrator}',
  ),
  'operator:first_administrator': did(
    'named {first_administrator} as first administrator of {client}',
    'nomeou {first_administrator} como primeiro administrador de {client}',
  ),
  'operator:lift_two_people': did(
    'switched off that two people decide: {reason}',
    'desligou a decisão por duas pessoas: {reason}',
  ),
  'identity:change': did(
    'changed where the people of {client} sign in: {issuer}, proposed by {proposed_by}, confirmed by {confirmed_by}',
    'alterou onde as pessoas de {client} entram: {issuer}, proposto por {proposed_by}, confirmado por {confirmed_by}',
  ),
  'retention:destroy_positions': did(
    'destroyed {destroyed} positions of phones that were due',
    'destruiu {destroyed} posições de telefones vencidas',
  ),
  'retention:destroy_telemetry': did(
    'destroyed {destroyed} reports of telemetry that were due',
    'destruiu {destroyed} relatórios de telemetria vencidos',
  ),
  'retention:destroy_logs': did(
    'destroyed {destroyed} logs of phones that were due',
    'destruiu {destroyed} registros de telefones vencidos',
  ),
  'retention:destroy_commands': did(
    'destroyed {destroyed} commands to phones that were due',
    'destruiu {destroyed} comandos a telefones vencidos',
  ),
  'retention:destroy_device_activities': did(
    'destroyed {destroyed} entries of the log of phones that were due',
    'destruiu {destroyed} entradas vencidas do registro dos telefones',
  ),
  'retention:destroy_activities': did(
    'destroyed {destroyed} entries of this log that were due',
    'destruiu {destroyed} entradas vencidas deste registro',
  ),
  'retention:destroy_sessions': did(
    'destroyed {destroyed} sessions that were due',
    'destruiu {destroyed} sessões vencidas',
  ),
  'retention:destroy_acceptances': did(
    'destroyed {destroyed} acceptances of terms that were due',
    'destruiu {destroyed} aceites de termos vencidos',
  ),
  'retention:destroy_support_requests': did(
    'destroyed {destroyed} requests for support access that were due',
    'destruiu {destroyed} pedidos de acesso de suporte vencidos',
  ),
  'retention:destroy_transfers': did(
    'destroyed {destroyed} runs of transfers that were due, with what they tell of each recording',
    'destruiu {destroyed} execuções de transferência vencidas, com o que dizem de cada gravação',
  ),
  'retention:destroy_migrations': did(
    'destroyed {destroyed} runs of migration that were due, with their results',
    'destruiu {destroyed} execuções de migração vencidas, com os resultados',
  ),
  'retention:destroy_data_requests': did(
    'destroyed {destroyed} requests of people that ended {kept_days} days ago or earlier, with their notes and reasons',
    'destruiu {destroyed} pedidos de pessoas encerrados há {kept_days} dias ou mais, com as notas e os motivos',
  ),
  'retention:delete_devices': did(
    'deleted {deleted} devices that were long out of use: {references}',
    'excluiu {deleted} dispositivos fora de uso havia muito: {references}',
  ),
  'retention:delete_device_users': did(
    'deleted {deleted} device users who had left long ago: {references}',
    'excluiu {deleted} usuários de dispositivo que saíram havia muito: {references}',
  ),
  'retention:destroy_devices': did(
    'destroyed {destroyed} deleted devices that were due, but for their references',
    'destruiu {destroyed} dispositivos excluídos vencidos, salvo as referências',
  ),
  'retention:destroy_device_users': did(
    'destroyed {destroyed} deleted device users that were due, but for their references',
    'destruiu {destroyed} usuários de dispositivo excluídos vencidos, salvo as referências',
  ),
  'retention:delete': did(
    'deleted {deleted} recordings that were due',
    'excluiu {deleted} gravações vencidas',
  ),
  'retention:destroy': did(
    'destroyed {destroyed} recordings that were due, for good',
    'destruiu {destroyed} gravações vencidas, para sempre',
  ),
  'payloads:abandon': did(
    'gave up waiting for the data of {payload_reference}',
    'desistiu de esperar pelos dados de {payload_reference}',
  ),
  'payloads:restore': did('restored deleted recordings', 'restaurou gravações excluídas'),
  'receipts:confirm': did(
    'confirmed the receipt of recordings: {payload_references}',
    'confirmou o recebimento de gravações: {payload_references}',
  ),

  'activities:list': asked('read the log of people', 'consultou o registro das pessoas'),
  'device_activities:list': asked('read the log of phones', 'consultou o registro dos telefones'),

  'alerts:list': asked('looked through the alerts', 'consultou os alertas'),
  'alerts.summary:read': asked('had the open alerts counted', 'pediu a contagem dos alertas abertos'),
  'alerts:read': did('opened the alert {alert_reference}', 'abriu o alerta {alert_reference}'),
  'alerts:clear': did('cleared alerts: {cleared_reason}', 'encerrou alertas: {cleared_reason}'),
  'alerts:dismiss': did('dismissed alerts for themselves', 'dispensou alertas para si'),

  'users:list': asked('looked through the device users', 'consultou os usuários de dispositivos'),
  'users:read': did(
    'opened the device user {device_user_reference}',
    'abriu o usuário de dispositivo {device_user_reference}',
  ),
  'users:create': did(
    'added the device user {device_user_reference}',
    'adicionou o usuário de dispositivo {device_user_reference}',
  ),
  'users:update': did(
    'saved the device user {device_user_reference}',
    'salvou o usuário de dispositivo {device_user_reference}',
  ),
  'users:delete': did(
    'deleted the device user {device_user_reference}',
    'excluiu o usuário de dispositivo {device_user_reference}',
  ),

  'users:import': did('imported a file of device users', 'importou um arquivo de usuários de dispositivos'),
  'users:review': asked(
    'had a file of device users reviewed',
    'pediu a revisão de um arquivo de usuários de dispositivos',
  ),
  'users.devices:list': asked(
    'looked up the phones of {device_user_reference}',
    'consultou os telefones de {device_user_reference}',
  ),
  'users.numbers:read': asked(
    'looked up the numbers of {device_user_reference}',
    'consultou os números de {device_user_reference}',
  ),
  'users.queue:read': asked(
    'looked up what the phones of {device_user_reference} still hold',
    'consultou o que os telefones de {device_user_reference} ainda guardam',
  ),
  'users.capture_gaps:list': asked(
    'looked up when what is ordered of {device_user_reference} was not recorded',
    'consultou quando o que se espera de {device_user_reference} não foi gravado',
  ),
  'capture_gaps:list': asked('looked through the gaps in capture', 'consultou as lacunas de captura'),
  'users.payloads:list': asked(
    'looked through the recordings of {device_user_reference}',
    'consultou as gravações de {device_user_reference}',
  ),
  'devices:list': asked('looked through the devices', 'consultou os dispositivos'),
  'devices:read': did('opened the device {device_reference}', 'abriu o dispositivo {device_reference}'),
  'devices:deactivate': did(
    'deactivated the device {device_reference}',
    'desativou o dispositivo {device_reference}',
  ),
  'devices:block': did(
    'reported the device {device_reference} lost or stolen',
    'deu o dispositivo {device_reference} como perdido ou roubado',
  ),
  'devices:unblock': did(
    'lifted the block of the device {device_reference}',
    'desbloqueou o dispositivo {device_reference}',
  ),
  'devices:delete': did('deleted the device {device_reference}', 'excluiu o dispositivo {device_reference}'),
  'devices.holder:confirm': did(
    'decided whose the device {device_reference} is',
    'decidiu de quem é o dispositivo {device_reference}',
  ),
  'devices.holder:decide': did(
    'decided about devices that waited: {decision}',
    'decidiu sobre dispositivos que aguardavam: {decision}',
  ),
  'devices.holder:review': asked(
    'looked up what deciding about devices that wait would mean',
    'consultou o que significaria decidir sobre dispositivos que aguardam',
  ),
  'GET identity': asked(
    'asked where the holder of a phone signs in',
    'perguntou onde o titular de um telefone entra',
  ),
  'POST identity': did('signed in on a phone', 'entrou em um telefone'),
  'devices.enrolments:list': asked(
    'looked through the enrolments of phones',
    'consultou os cadastros de telefones',
  ),
  // Again and again while the phone is waited for.
  'devices.enrolments:read': asked(
    'looked up the enrolment {enrolment_reference}',
    'consultou o cadastro {enrolment_reference}',
  ),
  'devices.enrolments:create': did(
    'made an enrolment for a roll-out of phones',
    'criou um cadastro para distribuir telefones',
  ),
  'users.enrolments:create': did(
    'made an enrolment for a phone of {device_user_reference}',
    'criou um cadastro para um telefone de {device_user_reference}',
  ),
  'devices.enrolments:delete': did(
    'revoked the enrolment {enrolment_reference}',
    'revogou o cadastro {enrolment_reference}',
  ),
  'devices.history:read': asked(
    'looked up who held the device {device_reference}',
    'consultou quem teve o dispositivo {device_reference}',
  ),
  'devices.numbers:read': asked(
    'looked up the numbers of the device {device_reference}',
    'consultou os números do dispositivo {device_reference}',
  ),
  'commands:list': asked('looked through the commands to phones', 'consultou os comandos para telefones'),
  'devices.commands:list': asked(
    'looked up what the device {device_reference} was told',
    'consultou o que foi mandado ao dispositivo {device_reference}',
  ),
  'devices.commands:send': did(
    'sent the device {device_reference} the command {command}',
    'enviou ao dispositivo {device_reference} o comando {command}',
  ),
  'device_logs:list': asked(
    'looked through what phones log',
    'consultou os registros internos dos telefones',
  ),
  'devices.logs:list': asked(
    'looked up what the device {device_reference} logs',
    'consultou os registros internos do dispositivo {device_reference}',
  ),
  'users.logs:list': asked(
    'looked up what the phones of {device_user_reference} log',
    'consultou os registros internos dos telefones de {device_user_reference}',
  ),
  'payloads.places:read': did(
    'looked up where recordings were made',
    'consultou onde gravações foram feitas',
  ),
  'gps:list': did('looked up where phones were last', 'consultou onde os telefones estiveram por último'),
  'devices.gps:list': did(
    'looked up where the device {device_reference} was',
    'consultou onde o dispositivo {device_reference} esteve',
  ),
  'users.gps:list': did(
    'looked up where the phones of {device_user_reference} were',
    'consultou onde os telefones de {device_user_reference} estiveram',
  ),
  'metrics:list': asked('looked up how much phones hand over', 'consultou quanto os telefones entregam'),
  'telemetry:list': asked(
    'looked through what phones report of themselves',
    'consultou o que os telefones informam de si',
  ),
  'devices.telemetry:list': asked(
    'looked up what the device {device_reference} reports of itself',
    'consultou o que o dispositivo {device_reference} informa de si',
  ),
  'devices.telemetry:read': asked(
    'opened a report of the device {device_reference} with its numbers and applications',
    'abriu um relatório do dispositivo {device_reference} com seus números e aplicativos',
  ),
  'devices.payloads:list': asked(
    'looked through the recordings of the device {device_reference}',
    'consultou as gravações do dispositivo {device_reference}',
  ),

  'groups:list': asked('looked through the groups', 'consultou os grupos'),
  'groups:read': did('opened the group {group_reference}', 'abriu o grupo {group_reference}'),
  'groups:update': did('saved the group {group_reference}', 'salvou o grupo {group_reference}'),
  'groups:review': asked(
    'had a change of the group {group_reference} reviewed',
    'pediu a revisão de uma alteração do grupo {group_reference}',
  ),
  'groups:delete': did('deleted the group {group_reference}', 'excluiu o grupo {group_reference}'),
  'people:list': asked('looked through the people', 'consultou as pessoas'),
  'people:read': did('looked at the person {user_reference}', 'consultou a pessoa {user_reference}'),
  'people.sessions:end': did(
    'ended a session of {user_reference}',
    'encerrou uma sessão de {user_reference}',
  ),
  'roles:list': asked('looked through the roles', 'consultou as funções'),
  'roles:read': did('opened the role {role_reference}', 'abriu a função {role_reference}'),
  'roles:update': did('saved the role {role_reference}', 'salvou a função {role_reference}'),
  'roles:review': asked(
    'had a change of the role {role_reference} reviewed',
    'pediu a revisão de uma alteração da função {role_reference}',
  ),
  'roles:delete': did('deleted the role {role_reference}', 'excluiu a função {role_reference}'),
  'tags:list': asked('looked through the tags', 'consultou as etiquetas'),
  'tags:read': did('opened the tag {tag_key}', 'abriu a etiqueta {tag_key}'),
  'tags:update': did('saved the tag {tag_key}', 'salvou a etiqueta {tag_key}'),
  'tags:review': asked(
    'had a change of the tag {tag_key} reviewed',
    'pediu a revisão de uma alteração da etiqueta {tag_key}',
  ),
  'tags:delete': did('deleted the tag {tag_key}', 'excluiu a etiqueta {tag_key}'),

  'account.migration:read': asked(
    'looked up the settings of migration',
    'consultou as configurações da migração',
  ),
  'account.migration:update': did('saved the settings of migration', 'salvou as configurações da migração'),
  'migrations:list': asked('looked through the migrations', 'consultou as migrações'),
  'migrations.files:list': asked(
    'looked up the files of a migration',
    'consultou os arquivos de uma migração',
  ),
  'migrations.files:update': did(
    'brought a part of the file {filename} for a migration',
    'enviou uma parte do arquivo {filename} para uma migração',
  ),
  'migrations.files:delete': did(
    'removed the file {filename} of a migration',
    'removeu o arquivo {filename} de uma migração',
  ),
  'migrations:create': did('started a migration', 'iniciou uma migração'),
  'migrations:run': did(
    'had what failed of the migration {migration_reference} imported again',
    'mandou importar de novo o que falhou da migração {migration_reference}',
  ),
  'migrations:sign': did(
    'accepted what the migration {migration_reference} imported',
    'aceitou o que a migração {migration_reference} importou',
  ),
  'migrations:erase': did(
    'erased files of the migration {migration_reference}',
    'apagou arquivos da migração {migration_reference}',
  ),
  'migrations:read': did(
    'opened the migration {migration_reference}',
    'abriu a migração {migration_reference}',
  ),
  'account.defaults:read': did('opened the account defaults', 'abriu os padrões da conta'),
  // Its review bears the same name.
  'account.defaults:update': did(
    'saved the account defaults, or had a change of them reviewed',
    'salvou os padrões da conta, ou pediu a revisão de uma alteração deles',
  ),
  'account.data_requests:list': asked(
    'looked through the requests of people',
    'consultou os pedidos de pessoas',
  ),
  'account.data_requests:read': did(
    'opened the request {data_request_id}, or its report',
    'abriu o pedido {data_request_id}, ou seu relatório',
  ),
  'account.data_requests:create': asked('entered a request of somebody', 'registrou um pedido de alguém'),
  'account.data_requests:copy': did(
    'had recordings copied for the request {data_request_id}',
    'mandou copiar gravações para o pedido {data_request_id}',
  ),
  'account.data_requests:update': did(
    'ended the request {data_request_id}',
    'encerrou o pedido {data_request_id}',
  ),
  'account.legal_holds:list': asked('looked through the legal holds', 'consultou as preservações legais'),
  'account.legal_holds:read': did(
    'opened the legal hold of {target}',
    'abriu a preservação legal de {target}',
  ),
  'account.legal_holds:update': did('held {target} legally', 'pôs {target} sob preservação legal'),
  'account.legal_holds:delete': did(
    'released the legal hold of {target}',
    'liberou a preservação legal de {target}',
  ),
  'account.legal_matters:list': asked('looked through the matters', 'consultou os casos'),
  'account.legal_matters:read': did('opened the matter {matter_id}', 'abriu o caso {matter_id}'),
  'account.legal_matters:create': asked('opened a new matter', 'criou um caso'),
  'account.legal_matters:update': did(
    'held people for the matter {matter_id}',
    'pôs pessoas sob preservação legal pelo caso {matter_id}',
  ),
  'account.legal_matters:delete': did(
    'released the matter {matter_id}, or somebody of it',
    'liberou o caso {matter_id}, ou alguém dele',
  ),
  'account.proposals:list': asked(
    'looked through what waits for a second person',
    'consultou o que espera por uma segunda pessoa',
  ),
  'account.proposals:read': did('opened the proposal {proposal_id}', 'abriu a proposta {proposal_id}'),
  'account.proposals:update': did(
    'decided about the proposal {proposal_id}',
    'decidiu sobre a proposta {proposal_id}',
  ),
  'account.destructions:list': asked(
    'looked through the lists of destructions',
    'consultou as listas de destruição',
  ),
  'account.destructions:read': did(
    'opened the list of destructions {destruction_reference}',
    'abriu a lista de destruição {destruction_reference}',
  ),
  'account.destructions:update': did(
    'decided about the list of destructions {destruction_reference}',
    'decidiu sobre a lista de destruição {destruction_reference}',
  ),
  'account.two_people:read': asked(
    'looked whether acts wait for a second person',
    'consultou se atos esperam por uma segunda pessoa',
  ),
  'account.two_people:update': did(
    'proposed whether acts wait for a second person',
    'propôs se atos esperam por uma segunda pessoa',
  ),
  'account.retention:read': asked(
    'opened the retention policy, its versions, or a preview of what one would make due',
    'abriu a política de retenção, suas versões, ou uma prévia do que uma faria vencer',
  ),
  'account.retention:update': did(
    'saved the retention policy, or paused or resumed it',
    'salvou a política de retenção, ou a suspendeu ou retomou',
  ),
  'account.identity:read': asked(
    'looked at the identity provider and the claim mapping',
    'consultou o provedor de identidade e o mapeamento de declarações',
  ),
  'account.identity:update': did(
    'changed the mapping of claims to roles and groups, or proposed it',
    'alterou ou propôs o mapeamento de declarações para funções e grupos',
  ),
  'account.identity:review': asked(
    'had a change of the claim mapping reviewed',
    'pediu a revisão de uma alteração do mapeamento de declarações',
  ),
  'account.identity:preview': did(
    'previewed the rights that an id token would give',
    'previu os direitos que um token de identidade daria',
  ),
  'account.apps:list': asked('looked through the client apps', 'consultou os aplicativos do cliente'),
  'account.apps:read': did(
    'opened the client app {app_reference}',
    'abriu o aplicativo do cliente {app_reference}',
  ),
  'account.apps:create': did(
    'added the client app {app_reference}',
    'adicionou o aplicativo do cliente {app_reference}',
  ),
  'account.apps:update': did(
    'saved the client app {app_reference}',
    'salvou o aplicativo do cliente {app_reference}',
  ),
  'account.apps:review': asked(
    'had a change of the client app {app_reference} reviewed',
    'pediu a revisão de uma alteração do aplicativo do cliente {app_reference}',
  ),
  'account.apps:delete': did(
    'deleted the client app {app_reference}',
    'excluiu o aplicativo do cliente {app_reference}',
  ),
  'account.apps:test': did(
    'tried a token of the client app {app_reference}',
    'testou um token do aplicativo do cliente {app_reference}',
  ),
  'account.webhooks:list': asked('looked through the webhooks', 'consultou os webhooks'),
  'account.webhooks:create': asked('added a webhook', 'adicionou um webhook'),
  'account.webhooks:update': did(
    'saved the webhook {webhook_reference}',
    'salvou o webhook {webhook_reference}',
  ),
  'account.webhooks:delete': did(
    'deleted the webhook {webhook_reference}',
    'excluiu o webhook {webhook_reference}',
  ),
  'account.webhooks:test': did(
    'sent a test to the webhook {webhook_reference}',
    'enviou um teste ao webhook {webhook_reference}',
  ),
  'account.webhooks:resend': did(
    'had a delivery to the webhook {webhook_reference} sent again',
    'mandou reenviar uma entrega ao webhook {webhook_reference}',
  ),
  'transfer_configs:list': asked(
    'looked through the transfer configs',
    'consultou as configurações de transferência',
  ),
  'transfer_configs:read': did(
    'opened the transfer config {transfer_config_reference}',
    'abriu a configuração de transferência {transfer_config_reference}',
  ),
  'transfer_configs:create': did(
    'added the transfer config {transfer_config_reference}',
    'adicionou a configuração de transferência {transfer_config_reference}',
  ),
  'transfer_configs:update': did(
    'saved the transfer config {transfer_config_reference}',
    'salvou a configuração de transferência {transfer_config_reference}',
  ),
  'transfer_configs:review': asked(
    'had a change of the transfer config {transfer_config_reference} reviewed',
    'pediu a revisão de uma alteração da configuração de transferência {transfer_config_reference}',
  ),
  'transfer_configs:delete': did(
    'deleted the transfer config {transfer_config_reference}',
    'excluiu a configuração de transferência {transfer_config_reference}',
  ),
  'transfer_configs:run': did(
    'ran the transfer config {transfer_config_reference}',
    'executou a configuração de transferência {transfer_config_reference}',
  ),
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
  'transfer_reconciliations:list': asked(
    'looked through the reconciliations of transfers',
    'consultou as conciliações de transferências',
  ),
  'transfer_reconciliations:read': did(
    'opened the reconciliation {reconciliation_reference}',
    'abriu a conciliação {reconciliation_reference}',
  ),
  'transfers:list': asked('looked through the transfers', 'consultou as transferências'),
  'transfers:read': did('opened the transfer {transfer_id}', 'abriu a transferência {transfer_id}'),
  'transfers:run': did(
    'had what failed of the transfer {transfer_id} sent again',
    'mandou reenviar o que falhou da transferência {transfer_id}',
  ),
  'licenses:list': asked('looked up the licences', 'consultou as licenças'),
  'supportaccess:list': asked(
    'looked through the requests for support access',
    'consultou as solicitações de acesso de suporte',
  ),
  'supportaccess:read': did(
    'opened the request {request_reference} for support access',
    'abriu a solicitação {request_reference} de acesso de suporte',
  ),
  'supportaccess:decide': did(
    'decided on the request {request_reference} for support access: {approval_state}',
    'decidiu sobre a solicitação {request_reference} de acesso de suporte: {approval_state}',
  ),

  'internal.clients:list': asked('looked through the clients', 'consultou os clientes'),
  'internal.clients:preview': did(
    'previewed the rights that an id token would give in {client}',
    'previu os direitos que um token de identidade daria em {client}',
  ),
  'internal.clients:create': did('created the client {client}', 'criou o cliente {client}'),
  'internal.clients:suspend': did(
    'suspended the client {client}: {reason}',
    'suspendeu o cliente {client}: {reason}',
  ),
  'internal.clients:resume': did('resumed the client {client}', 'reativou o cliente {client}'),
  'internal.clients:delete': did(
    'proposed, confirmed or withdrew the deletion of the client {client}',
    'propôs, confirmou ou retirou a exclusão do cliente {client}',
  ),
  'internal.clients:update': did(
    'proposed, seconded or withdrew where the people of {client} sign in',
    'propôs, apoiou ou retirou onde as pessoas de {client} entram',
  ),
  'internal.staff:list': asked('looked through the provider’s staff', 'consultou a equipe do provedor'),
  'internal.statistics:read': asked('looked up the statistics', 'consultou as estatísticas'),
  'internal.telemetry:list': asked(
    'looked through what phones of all clients report of themselves',
    'consultou o que os telefones de todos os clientes informam de si',
  ),
  'internal.clients.telemetry:list': asked(
    'looked through what phones of {client} report of themselves',
    'consultou o que os telefones de {client} informam de si',
  ),
  'internal.countries:list': asked('looked through the carriers', 'consultou as operadoras'),
  'internal.roles:list': asked('looked through the roles of {client}', 'consultou as funções de {client}'),
  'internal.licenses:list': asked(
    'looked through the licences of all clients',
    'consultou as licenças de todos os clientes',
  ),
  'internal.licenses:update': did('set the licences of {client}', 'definiu as licenças de {client}'),
  'internal.alerts:list': asked(
    'looked through the alerts of all clients',
    'consultou os alertas de todos os clientes',
  ),
  'internal.alerts:read': did(
    'opened the alert {alert_reference} of {client}',
    'abriu o alerta {alert_reference} de {client}',
  ),
  'internal.alerts:clear': did(
    'cleared alerts of {client}: {cleared_reason}',
    'encerrou alertas de {client}: {cleared_reason}',
  ),
  'internal.alerts:dismiss': did(
    'dismissed alerts of {client} for themselves',
    'dispensou alertas de {client} para si',
  ),
  'internal.alerts:notify': did('sent a notice to clients', 'enviou um aviso a clientes'),
  'internal.supportaccess:list': asked(
    'looked through the requests for support access',
    'consultou as solicitações de acesso de suporte',
  ),
  'internal.supportaccess:read': did(
    'opened the request {request_reference} for support access',
    'abriu a solicitação {request_reference} de acesso de suporte',
  ),
  'internal.supportaccess:request': did('asked for support access', 'solicitou acesso de suporte'),
  'internal.supportaccess:cancel': did(
    'withdrew the request {request_reference} for support access',
    'retirou a solicitação {request_reference} de acesso de suporte',
  ),
  'internal.support_mode:start': did(
    'entered support mode under the approval {request_reference}',
    'entrou no modo de suporte com a aprovação {request_reference}',
  ),
  'internal.support_mode:end': did(
    'left support mode under the approval {request_reference}',
    'saiu do modo de suporte com a aprovação {request_reference}',
  ),

  ...PHONE_SENTENCES,
} as const satisfies Readonly<Record<string, LogSentence>>

/** Calls whose entries their handlers write, under names of their own. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  'PUT uploads/{token}': 'PUT uploads',
  'POST verify': 'verify',
}

/** What the log calls a call that needs no action. */
export function loggedName({ method, path }: { method: string; path: string }): string {
  const name = `${method} ${path}`
  return OWN_NAMES[name] ?? name
}

/** The sentence of an entry by its action; undefined for one that no call has any more. */
export const logSentence = (action: string): LogSentence | undefined =>
  Object.hasOwn(LOG_SENTENCES, action) ? LOG_SENTENCES[action as keyof typeof LOG_SENTENCES] : undefined

/** What stands in the place of a sentence where data was asked for and none was handed out. */
export const ASKED_ONLY = {
  'payloads:play': did('asked to play {payload_reference}', 'pediu para reproduzir {payload_reference}'),
  'payloads:download': did('asked to download {payload_reference}', 'pediu para baixar {payload_reference}'),
} as const

/** A refusal or a failure: what was tried. `{act}` is the sentence of the act. */
export const NOT_DONE = {
  denied: phrase('Denied: {act}', 'Negado: {act}'),
  failed: phrase('Failed: {act}', 'Falhou: {act}'),
} as const

/** The names of what is asked in the background. */
export const BACKGROUND_NAMES: readonly string[] = /* @__PURE__ */ Object.entries<LogSentence>(LOG_SENTENCES)
  .filter(([, { is_background }]) => is_background)
  .map(([name]) => name)

/** What a recording is called in a sentence; in Portuguese with its article. */
export const RECORDING_PHRASES: Readonly<Record<PayloadType, Phrase>> = {
  Call: phrase('call', 'a chamada'),
  AbortedCall: phrase('aborted call', 'a chamada não atendida'),
  BlockedCall: phrase('blocked call', 'a chamada bloqueada'),
  Diagnostics: phrase('diagnostics', 'o diagnóstico'),
  Interview: phrase('interview', 'a entrevista'),
  Photo: phrase('photo', 'a foto'),
  Video: phrase('video', 'o vídeo'),
  MMS: phrase('MMS', 'o MMS'),
  RCS: phrase('RCS message', 'a mensagem RCS'),
  SMS: phrase('SMS', 'o SMS'),
}
