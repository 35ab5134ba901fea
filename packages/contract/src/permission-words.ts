import { MESSAGE_TYPES, type PayloadType } from './payload-types.ts'
import { type Phrase, phrase } from './phrases.ts'

/** What an action lets somebody do, in words that go on after "may"; a test finds actions that have none. */
export const PERMISSION_WORDS = {
  'payloads:list': phrase('find recordings in lists', 'encontrar gravações nas listas'),
  'payloads:search': phrase(
    'search the words of messages and notes',
    'pesquisar palavras de mensagens e notas',
  ),
  'payloads:read': phrase('open recordings', 'abrir gravações'),
  'payloads:play': phrase('listen to recordings and see pictures', 'ouvir gravações e ver imagens'),
  'payloads:download': phrase('download recordings', 'baixar gravações'),
  'payloads.audit:read': phrase('see who did what with a recording', 'ver quem fez o que com uma gravação'),
  'devices.sms:list': phrase('see the conversations of a device', 'ver as conversas de um dispositivo'),
  'devices.sms:read': phrase('read conversations', 'ler conversas'),
  'comments:list': phrase(
    'see the list of comments on recordings',
    'ver a lista de comentários sobre gravações',
  ),
  'payloads.comments:list': phrase('read comments on recordings', 'ler comentários sobre gravações'),
  'payloads.comments:create': phrase('comment on recordings', 'comentar gravações'),
  'payloads.comments:update': phrase('change one’s own comments', 'alterar os próprios comentários'),
  'payloads.comments:close': phrase('close comments', 'encerrar comentários'),
  'payloads.comments:history': phrase('read closed comments', 'ler comentários encerrados'),
  'payloads.marks:list': phrase(
    'see what reviewers made of recordings',
    'ver o que revisores fizeram das gravações',
  ),
  'payloads.marks:create': phrase('mark recordings', 'marcar gravações'),
  'payloads.marks:decide': phrase('close escalations', 'encerrar escalações'),
  'payloads.playhead:update': phrase(
    'go on in a recording where they stopped',
    'continuar uma gravação de onde pararam',
  ),
  'reviews:list': phrase('count what reviewers looked at', 'contar o que os revisores examinaram'),
  'account.review:update': phrase('change the settings of reviewing', 'alterar as configurações da revisão'),
  'payloads:export': phrase('export recordings with their data', 'exportar gravações com os dados'),
  'payloads:abandon': phrase(
    'give up waiting for data of late recordings',
    'desistir de esperar pelos dados de gravações atrasadas',
  ),
  'payloads:restore': phrase('restore deleted recordings', 'restaurar gravações excluídas'),
  'receipts:confirm': phrase('confirm the receipt of recordings', 'confirmar o recebimento de gravações'),

  'access:escalate': phrase('grant more than their own rights', 'conceder mais do que os próprios direitos'),
  'transfer_configs:create': phrase('add transfer configs', 'adicionar configurações de transferência'),
  'transfer_configs:delete': phrase('delete transfer configs', 'excluir configurações de transferência'),
  'transfer_configs:list': phrase(
    'see the list of transfer configs',
    'ver a lista de configurações de transferência',
  ),
  'transfer_configs:read': phrase('open transfer configs', 'abrir configurações de transferência'),
  'transfer_configs:review': phrase(
    'review changes of transfer configs',
    'revisar alterações de configurações de transferência',
  ),
  'transfer_configs:run': phrase('run transfer configs', 'executar configurações de transferência'),
  'transfer_configs:test': phrase('test targets of transfers', 'testar destinos de transferências'),
  'transfer_reconciliations:list': phrase(
    'see the reconciliations of transfers',
    'ver as conciliações de transferências',
  ),
  'transfer_reconciliations:read': phrase(
    'open reconciliations of transfers',
    'abrir conciliações de transferências',
  ),
  'transfers:list': phrase('see the list of transfers', 'ver a lista de transferências'),
  'transfers:read': phrase('open transfers', 'abrir transferências'),
  'transfers:run': phrase('send again what failed of transfers', 'reenviar o que falhou de transferências'),
  'transfer_configs:update': phrase('change transfer configs', 'alterar configurações de transferência'),
  'account.apps:create': phrase('add client apps', 'adicionar aplicativos do cliente'),
  'account.apps:delete': phrase('delete client apps', 'excluir aplicativos do cliente'),
  'account.apps:list': phrase('see the list of client apps', 'ver a lista de aplicativos do cliente'),
  'account.apps:read': phrase('open client apps', 'abrir aplicativos do cliente'),
  'account.apps:review': phrase(
    'review changes of client apps',
    'revisar alterações de aplicativos do cliente',
  ),
  'account.apps:test': phrase('test tokens of client apps', 'testar tokens de aplicativos do cliente'),
  'account.apps:update': phrase('change client apps', 'alterar aplicativos do cliente'),
  'account.webhooks:create': phrase('add webhooks', 'adicionar webhooks'),
  'account.webhooks:delete': phrase('delete webhooks', 'excluir webhooks'),
  'account.webhooks:list': phrase(
    'see webhooks and what was sent to them',
    'ver webhooks e o que lhes foi enviado',
  ),
  'account.webhooks:resend': phrase('send deliveries to webhooks again', 'reenviar entregas a webhooks'),
  'account.webhooks:test': phrase('send tests to webhooks', 'enviar testes a webhooks'),
  'account.webhooks:update': phrase('change webhooks', 'alterar webhooks'),
  'account.legal_holds:delete': phrase('release legal holds', 'liberar preservações legais'),
  'account.data_requests:copy': phrase(
    'have recordings copied for requests of people, within what they may export',
    'mandar copiar gravações para pedidos de pessoas, dentro do que podem exportar',
  ),
  'account.data_requests:create': phrase('enter requests of people', 'registrar pedidos de pessoas'),
  'account.data_requests:list': phrase(
    'see the list of requests of people',
    'ver a lista de pedidos de pessoas',
  ),
  'account.data_requests:read': phrase(
    'open requests of people, with their notes and reports',
    'abrir pedidos de pessoas, com suas notas e seus relatórios',
  ),
  'account.data_requests:update': phrase('end requests of people', 'encerrar pedidos de pessoas'),
  'account.legal_holds:list': phrase(
    'see the list of legal holds, and what is held',
    'ver a lista de preservações legais, e o que está preservado',
  ),
  'account.legal_holds:read': phrase(
    'open legal holds, with their reasons',
    'abrir preservações legais, com seus motivos',
  ),
  'account.legal_holds:update': phrase('set legal holds', 'definir preservações legais'),
  'account.legal_matters:create': phrase('open matters', 'criar casos'),
  'account.legal_matters:delete': phrase(
    'close matters, and take people out of them',
    'encerrar casos, e retirar pessoas deles',
  ),
  'account.legal_matters:list': phrase('see the list of matters', 'ver a lista de casos'),
  'account.legal_matters:read': phrase(
    'open matters, with their people and reasons',
    'abrir casos, com suas pessoas e motivos',
  ),
  'account.legal_matters:update': phrase('hold people for matters', 'preservar pessoas por casos'),
  'account.proposals:list': phrase(
    'see what waits for a second person',
    'ver o que espera por uma segunda pessoa',
  ),
  'account.proposals:read': phrase('open proposals, with their reasons', 'abrir propostas, com seus motivos'),
  'account.proposals:update': phrase(
    'decide about what somebody else proposed, within their other permissions',
    'decidir sobre o que outra pessoa propôs, dentro de suas demais permissões',
  ),
  'account.destructions:list': phrase(
    'see lists of what is due for destruction',
    'ver listas do que deve ser destruído',
  ),
  'account.destructions:read': phrase(
    'open lists of what is due for destruction, with the reasons for what was taken out',
    'abrir listas do que deve ser destruído, com os motivos do que foi retirado',
  ),
  'account.destructions:update': phrase(
    'take recordings out of lists of destructions, and release the rest for destruction',
    'retirar gravações de listas de destruição, e liberar o resto para destruição',
  ),
  'account.identity:read': phrase(
    'see where people sign in and how claims give roles',
    'ver onde as pessoas entram e como as declarações dão funções',
  ),
  'account.identity:update': phrase(
    'change how claims give roles, and confirm or reject where the account signs in',
    'alterar como as declarações dão funções, e confirmar ou rejeitar onde a conta entra',
  ),
  'account.identity:review': phrase(
    'review changes of the claim mapping',
    'revisar alterações do mapeamento de declarações',
  ),
  'account.identity:preview': phrase(
    'preview the rights that an id token would give',
    'prever os direitos que um token de identidade daria',
  ),
  'account.two_people:read': phrase(
    'see whether acts wait for a second person',
    'ver se atos esperam por uma segunda pessoa',
  ),
  'account.two_people:update': phrase(
    'propose and confirm whether acts wait for a second person',
    'propor e confirmar se atos esperam por uma segunda pessoa',
  ),
  'account.migration:read': phrase('see the settings of migration', 'ver as configurações da migração'),
  'account.migration:update': phrase(
    'change the settings of migration',
    'alterar as configurações da migração',
  ),
  'migrations:list': phrase('see the list of migrations', 'ver a lista de migrações'),
  'migrations.files:list': phrase('see the files of migrations', 'ver os arquivos de migrações'),
  'migrations.files:update': phrase('bring files for migrations', 'enviar arquivos para migrações'),
  'migrations.files:delete': phrase('remove files of migrations', 'remover arquivos de migrações'),
  'migrations:create': phrase('start migrations', 'iniciar migrações'),
  'migrations:run': phrase(
    'import again what failed of migrations',
    'importar de novo o que falhou de migrações',
  ),
  'migrations:sign': phrase('accept migrations by name', 'aceitar migrações em seu nome'),
  'migrations:read': phrase('open migrations', 'abrir migrações'),
  'account.defaults:read': phrase('see the account defaults', 'ver os padrões da conta'),
  'account.defaults:update': phrase('change the account defaults', 'alterar os padrões da conta'),
  'account.retention:read': phrase(
    'see the retention policy and its versions, and preview what one would make due',
    'ver a política de retenção e suas versões, e prever o que uma faria vencer',
  ),
  'account.retention:update': phrase('change the retention policy', 'alterar a política de retenção'),
  'activities:list': phrase('read the audit log of people', 'ler a auditoria das pessoas'),
  'device_activities:list': phrase('read the audit log of phones', 'ler a auditoria dos telefones'),
  'alerts.summary:read': phrase('see how many alerts are open', 'ver quantos alertas estão abertos'),
  'alerts:clear': phrase('clear alerts for everybody', 'encerrar alertas para todos'),
  'alerts:dismiss': phrase('dismiss alerts for themselves', 'dispensar alertas para si'),
  'alerts:list': phrase('see the list of alerts', 'ver a lista de alertas'),
  'alerts:read': phrase('open alerts', 'abrir alertas'),
  'dashboard:read': phrase('see the start page', 'ver a página inicial'),
  'groups:delete': phrase('delete groups', 'excluir grupos'),
  'groups:list': phrase('see the list of groups', 'ver a lista de grupos'),
  'groups:read': phrase('open groups', 'abrir grupos'),
  'groups:review': phrase('review changes of groups', 'revisar alterações de grupos'),
  'groups:update': phrase('create and change groups', 'criar e alterar grupos'),
  'licenses:list': phrase('see the licences', 'ver as licenças'),
  'profile.alert_subscription:check': phrase(
    'give another address for their alerts by e-mail',
    'informar outro endereço para seus alertas por e-mail',
  ),
  'profile.alert_subscription:confirm': phrase(
    'confirm the address of their alerts by e-mail',
    'confirmar o endereço de seus alertas por e-mail',
  ),
  'profile.alert_subscription:delete': phrase(
    'end their alerts by e-mail',
    'encerrar seus alertas por e-mail',
  ),
  'profile.alert_subscription:read': phrase(
    'see which alerts they are mailed',
    'ver quais alertas recebem por e-mail',
  ),
  'profile.alert_subscription:test': phrase(
    'mail a test of alerts to themselves',
    'enviar a si um teste dos alertas por e-mail',
  ),
  'profile.alert_subscription:update': phrase(
    'choose which alerts they are mailed',
    'escolher quais alertas recebem por e-mail',
  ),
  'profile.exports:create': phrase('record that they export a list', 'registrar que exportam uma lista'),
  'profile.terms:accept': phrase('accept the terms', 'aceitar os termos'),
  'profile:read': phrase('use the portal', 'usar o portal'),
  'people:list': phrase('see the people who use the portal', 'ver as pessoas que usam o portal'),
  'people:read': phrase('see a person and their sessions', 'ver uma pessoa e suas sessões'),
  'people.sessions:end': phrase('end sessions of people', 'encerrar sessões de pessoas'),
  'roles:delete': phrase('delete roles', 'excluir funções'),
  'roles:list': phrase('see the list of roles', 'ver a lista de funções'),
  'roles:read': phrase('open roles', 'abrir funções'),
  'roles:review': phrase('review changes of roles', 'revisar alterações de funções'),
  'roles:update': phrase('create and change roles', 'criar e alterar funções'),
  'session:sign_out': phrase('sign out', 'sair do portal'),
  'supportaccess:decide': phrase(
    'approve, reject and revoke support access',
    'aprovar, recusar e revogar o acesso de suporte',
  ),
  'supportaccess:list': phrase('see requests for support access', 'ver solicitações de acesso de suporte'),
  'supportaccess:read': phrase('open requests for support access', 'abrir solicitações de acesso de suporte'),
  'tags:delete': phrase('delete tags', 'excluir etiquetas'),
  'tags:list': phrase('see the list of tags', 'ver a lista de etiquetas'),
  'tags:read': phrase('open tags', 'abrir etiquetas'),
  'tags:review': phrase('review changes of tags', 'revisar alterações de etiquetas'),
  'tags:update': phrase('create and change tags', 'criar e alterar etiquetas'),

  'users:create': phrase('add device users', 'adicionar usuários de dispositivos'),
  'users:delete': phrase('delete device users', 'excluir usuários de dispositivos'),
  'users:list': phrase('see the list of device users', 'ver a lista de usuários de dispositivos'),
  'users:read': phrase('open device users', 'abrir usuários de dispositivos'),
  'users:import': phrase('import device users', 'importar usuários de dispositivos'),
  'users:review': phrase('review files of device users', 'revisar arquivos de usuários de dispositivos'),
  'users.devices:list': phrase(
    'see the phones of a device user',
    'ver os telefones de um usuário de dispositivo',
  ),
  'users.numbers:read': phrase(
    'see which numbers a device user had when',
    'ver que números um usuário de dispositivo teve e quando',
  ),
  'users.capture_gaps:list': phrase(
    'see when what is ordered of a device user was not recorded',
    'ver quando o que se espera de um usuário de dispositivo não foi gravado',
  ),
  'capture_gaps:list': phrase(
    'see when what is ordered was not recorded',
    'ver quando o que se espera não foi gravado',
  ),
  'users.queue:read': phrase(
    'see what phones of a device user still hold',
    'ver o que os telefones de um usuário de dispositivo ainda guardam',
  ),
  'users.payloads:list': phrase(
    'find the recordings of a device user',
    'encontrar as gravações de um usuário de dispositivo',
  ),
  'devices:block': phrase('report devices lost or stolen', 'dar dispositivos como perdidos ou roubados'),
  'devices:deactivate': phrase('deactivate devices', 'desativar dispositivos'),
  'devices:delete': phrase('delete devices', 'excluir dispositivos'),
  'devices:list': phrase('see the list of devices', 'ver a lista de dispositivos'),
  'devices:read': phrase('open devices', 'abrir dispositivos'),
  'devices:unblock': phrase('lift the block of devices', 'desbloquear dispositivos'),
  'devices.holder:confirm': phrase(
    'decide whose a device is that waits',
    'decidir de quem é um dispositivo que aguarda',
  ),
  'devices.holder:decide': phrase(
    'decide about many devices that wait',
    'decidir sobre muitos dispositivos que aguardam',
  ),
  'devices.holder:review': phrase(
    'see what deciding about devices would mean',
    'ver o que significaria decidir sobre dispositivos',
  ),
  'device_logs:list': phrase('read what phones log', 'ler os registros internos dos telefones'),
  'devices.logs:list': phrase('read what a device logs', 'ler os registros internos de um dispositivo'),
  'telemetry:list': phrase('see what phones report of themselves', 'ver o que os telefones informam de si'),
  'devices.telemetry:list': phrase(
    'see what a device reports of itself',
    'ver o que um dispositivo informa de si',
  ),
  'devices.telemetry:read': phrase(
    'open reports of devices with numbers and applications',
    'abrir relatórios de dispositivos com números e aplicativos',
  ),
  'users.logs:list': phrase(
    'read what the phones of a device user log',
    'ler os registros internos dos telefones de um usuário de dispositivo',
  ),
  'payloads.places:read': phrase(
    'see on a map where recordings were made',
    'ver em um mapa onde gravações foram feitas',
  ),
  'gps:list': phrase('see where phones were last', 'ver onde os telefones estiveram por último'),
  'devices.gps:list': phrase('see where a device was', 'ver onde um dispositivo esteve'),
  'users.gps:list': phrase(
    'see where the phones of a device user were',
    'ver onde os telefones de um usuário de dispositivo estiveram',
  ),
  'metrics:list': phrase('see how much phones hand over', 'ver quanto os telefones entregam'),
  'commands:list': phrase('see what phones were told', 'ver o que foi mandado aos telefones'),
  'devices.commands:list': phrase('see what a device was told', 'ver o que foi mandado a um dispositivo'),
  'devices.commands:send': phrase('send commands to devices', 'enviar comandos a dispositivos'),
  'devices.commands:remove_device_admin': phrase(
    'take the recorder’s control of a device away',
    'retirar do gravador o controle de um dispositivo',
  ),
  'devices.commands:allow_factory_reset': phrase(
    'allow devices to be reset to factory settings',
    'permitir que dispositivos sejam restaurados às configurações de fábrica',
  ),
  'devices.commands:allow_power_off': phrase(
    'allow devices to be switched off',
    'permitir que dispositivos sejam desligados',
  ),
  'devices.commands:allow_uninstall': phrase(
    'allow the recorder to be removed from devices',
    'permitir que o gravador seja removido de dispositivos',
  ),
  'devices.enrolments:create': phrase('enrol phones for a roll-out', 'cadastrar telefones em massa'),
  'devices.enrolments:delete': phrase('revoke enrolments of phones', 'revogar cadastros de telefones'),
  'devices.enrolments:list': phrase('see the list of enrolments', 'ver a lista de cadastros de telefones'),
  'devices.enrolments:read': phrase('open enrolments of phones', 'abrir cadastros de telefones'),
  'users.enrolments:create': phrase(
    'enrol phones of device users',
    'cadastrar telefones de usuários de dispositivos',
  ),
  'devices.history:read': phrase('see who held a device when', 'ver quem teve um dispositivo e quando'),
  'devices.numbers:read': phrase(
    'see which numbers a device had when',
    'ver que números um dispositivo teve e quando',
  ),
  'devices.payloads:list': phrase(
    'find the recordings of a device',
    'encontrar as gravações de um dispositivo',
  ),
  'users:update': phrase(
    'change, move and offboard device users',
    'alterar, mover e desligar usuários de dispositivos',
  ),

  'internal.alerts:clear': phrase('clear alerts of clients', 'encerrar alertas de clientes'),
  'internal.alerts:dismiss': phrase(
    'dismiss alerts of clients for themselves',
    'dispensar alertas de clientes para si',
  ),
  'internal.alerts:list': phrase('see the alerts of all clients', 'ver os alertas de todos os clientes'),
  'internal.alerts:notify': phrase('send notices to clients', 'enviar avisos a clientes'),
  'internal.alerts:read': phrase('open alerts of clients', 'abrir alertas de clientes'),
  'internal.clients:create': phrase('create clients', 'criar clientes'),
  'internal.clients:suspend': phrase('suspend clients', 'suspender clientes'),
  'internal.clients:resume': phrase('resume suspended clients', 'reativar clientes suspensos'),
  'internal.clients:delete': phrase(
    'propose or confirm the deletion of clients',
    'propor ou confirmar a exclusão de clientes',
  ),
  'internal.clients:list': phrase('see the clients', 'ver os clientes'),
  'internal.clients:preview': phrase(
    'preview the rights that an id token would give in a client',
    'prever os direitos que um token de identidade daria em um cliente',
  ),
  'internal.clients:update': phrase('propose where a client signs in', 'propor onde um cliente entra'),
  'internal.clients.telemetry:list': phrase(
    'see facts that devices of a client report',
    'ver o que os dispositivos de um cliente informam',
  ),
  'internal.telemetry:list': phrase(
    'see facts that devices of all clients report',
    'ver o que os dispositivos de todos os clientes informam',
  ),
  'internal.countries:list': phrase('see the carriers', 'ver as operadoras'),
  'internal.licenses:list': phrase('see the licences of all clients', 'ver as licenças de todos os clientes'),
  'internal.licenses:update': phrase('set the licences of clients', 'definir as licenças de clientes'),
  'internal.roles:list': phrase('see the roles of clients', 'ver as funções de clientes'),
  'internal.staff:list': phrase('see the provider’s staff', 'ver a equipe do provedor'),
  'internal.statistics:read': phrase('see the statistics', 'ver as estatísticas'),
  'internal.support_mode:end': phrase('leave support mode', 'sair do modo de suporte'),
  'internal.support_mode:start': phrase('enter support mode', 'entrar no modo de suporte'),
  'internal.supportaccess:cancel': phrase(
    'withdraw requests for support access',
    'retirar solicitações de acesso de suporte',
  ),
  'internal.supportaccess:list': phrase(
    'see requests for support access',
    'ver solicitações de acesso de suporte',
  ),
  'internal.supportaccess:read': phrase(
    'open requests for support access',
    'abrir solicitações de acesso de suporte',
  ),
  'internal.supportaccess:request': phrase('ask for support access', 'solicitar acesso de suporte'),
} as const satisfies Readonly<Record<string, Phrase>>

/** What actions are about, by the part of their name before the colon. */
export const NOUN_WORDS = {
  access: phrase('Rights', 'Direitos'),
  'account.apps': phrase('Client apps', 'Aplicativos do cliente'),
  'account.migration': phrase('Settings of migration', 'Configurações da migração'),
  migrations: phrase('Migrations', 'Migrações'),
  'migrations.files': phrase('Files of migrations', 'Arquivos de migrações'),
  'account.defaults': phrase('Account defaults', 'Padrões da conta'),
  'account.webhooks': phrase('Webhooks', 'Webhooks'),
  transfer_configs: phrase('Transfer configs', 'Configurações de transferência'),
  transfer_reconciliations: phrase('Reconciliations of transfers', 'Conciliações de transferências'),
  transfers: phrase('Transfers', 'Transferências'),
  'account.data_requests': phrase('Requests of people', 'Pedidos de pessoas'),
  'account.legal_holds': phrase('Legal holds', 'Preservações legais'),
  'account.legal_matters': phrase('Matters', 'Casos'),
  'account.proposals': phrase('Proposals', 'Propostas'),
  'account.destructions': phrase('Lists of destructions', 'Listas de destruição'),
  'account.identity': phrase('Identity provider', 'Provedor de identidade'),
  'account.two_people': phrase('Two-person rule', 'Regra das duas pessoas'),
  'account.retention': phrase('Retention policy', 'Política de retenção'),
  activities: phrase('Audit log of people', 'Auditoria das pessoas'),
  alerts: phrase('Alerts', 'Alertas'),
  'alerts.summary': phrase('Count of alerts', 'Contagem de alertas'),
  commands: phrase('Commands to phones', 'Comandos para telefones'),
  dashboard: phrase('Start page', 'Página inicial'),
  device_activities: phrase('Audit log of phones', 'Auditoria dos telefones'),
  device_logs: phrase('Device logs', 'Registros de dispositivos'),
  devices: phrase('Devices', 'Dispositivos'),
  'devices.telemetry': phrase('Telemetry of a device', 'Telemetria de um dispositivo'),
  'internal.clients.telemetry': phrase('Telemetry of a client', 'Telemetria de um cliente'),
  'internal.telemetry': phrase('Telemetry of all clients', 'Telemetria de todos os clientes'),
  telemetry: phrase('Telemetry', 'Telemetria'),
  'devices.logs': phrase('Logs of a device', 'Registros de um dispositivo'),
  'devices.holder': phrase('Whose a waiting device is', 'De quem é um dispositivo que aguarda'),
  'devices.commands': phrase('Commands to a device', 'Comandos para um dispositivo'),
  'devices.enrolments': phrase('Enrolments of phones', 'Cadastros de telefones'),
  comments: phrase('Comments', 'Comentários'),
  'devices.history': phrase('Who held a device', 'Quem teve um dispositivo'),
  'devices.numbers': phrase('Numbers of a device', 'Números de um dispositivo'),
  'devices.payloads': phrase('Recordings of a device', 'Gravações de um dispositivo'),
  'devices.sms': phrase('Conversations', 'Conversas'),
  'payloads.places': phrase('Places of recordings', 'Lugares de gravações'),
  gps: phrase('Last positions', 'Últimas posições'),
  'devices.gps': phrase('Positions of a device', 'Posições de um dispositivo'),
  groups: phrase('Groups', 'Grupos'),
  'internal.alerts': phrase('Alerts of clients', 'Alertas de clientes'),
  'internal.clients': phrase('Clients', 'Clientes'),
  'internal.countries': phrase('Carriers', 'Operadoras'),
  'internal.licenses': phrase('Licences of clients', 'Licenças de clientes'),
  'internal.roles': phrase('Roles of clients', 'Funções de clientes'),
  'internal.staff': phrase('Staff', 'Equipe'),
  'internal.statistics': phrase('Statistics', 'Estatísticas'),
  'internal.support_mode': phrase('Support mode', 'Modo de suporte'),
  'internal.supportaccess': phrase('Support access to clients', 'Acesso de suporte a clientes'),
  licenses: phrase('Licences', 'Licenças'),
  metrics: phrase('Metrics', 'Métricas'),
  payloads: phrase('Recordings', 'Gravações'),
  'payloads.audit': phrase('Audit of a recording', 'Auditoria de uma gravação'),
  'payloads.marks': phrase('Marks of reviewers', 'Marcas de revisores'),
  'payloads.playhead': phrase('Where people stop in a recording', 'Onde as pessoas param em uma gravação'),
  reviews: phrase('What was reviewed', 'O que foi revisado'),
  'account.review': phrase('Settings of reviewing', 'Configurações da revisão'),
  'payloads.comments': phrase('Comments on a recording', 'Comentários de uma gravação'),
  profile: phrase('Own profile', 'Próprio perfil'),
  'profile.alert_subscription': phrase('Alerts by e-mail', 'Alertas por e-mail'),
  'profile.exports': phrase('Exports of lists', 'Exportações de listas'),
  'profile.terms': phrase('Terms', 'Termos'),
  receipts: phrase('Receipts', 'Recebimentos'),
  people: phrase('People', 'Pessoas'),
  'people.sessions': phrase('Sessions of people', 'Sessões de pessoas'),
  roles: phrase('Roles', 'Funções'),
  session: phrase('Session', 'Sessão'),
  supportaccess: phrase('Support access', 'Acesso de suporte'),
  tags: phrase('Tags', 'Etiquetas'),
  users: phrase('Device users', 'Usuários de dispositivos'),
  'users.devices': phrase('Phones of a device user', 'Telefones de um usuário de dispositivo'),
  'users.numbers': phrase('Numbers of a device user', 'Números de um usuário de dispositivo'),
  'users.capture_gaps': phrase(
    'Gaps in the capture of a device user',
    'Lacunas de captura de um usuário de dispositivo',
  ),
  capture_gaps: phrase('Gaps in capture', 'Lacunas de captura'),
  'users.queue': phrase('What phones still hold', 'O que os telefones ainda guardam'),
  'users.enrolments': phrase('Enrolments of a device user', 'Cadastros de um usuário de dispositivo'),
  'users.logs': phrase('Logs of a device user', 'Registros de um usuário de dispositivo'),
  'users.gps': phrase('Positions of a device user', 'Posições de um usuário de dispositivo'),
  'users.payloads': phrase('Recordings of a device user', 'Gravações de um usuário de dispositivo'),
} as const satisfies Readonly<Record<string, Phrase>>

/** The words of an action; undefined where it has none, such as one that no call needs any more. */
export const permissionWords = (action: string): Phrase | undefined =>
  Object.hasOwn(PERMISSION_WORDS, action)
    ? PERMISSION_WORDS[action as keyof typeof PERMISSION_WORDS]
    : undefined

/** What an action is about. */
export const nounWords = (noun: string): Phrase | undefined =>
  Object.hasOwn(NOUN_WORDS, noun) ? NOUN_WORDS[noun as keyof typeof NOUN_WORDS] : undefined

/** What people expect of a role that allows `with`, and it leaves out; the words say what is missed then. */
export const EXPECTATIONS: readonly {
  with: string
  without: string
  /** Only of roles that reach one of these types. */
  types?: readonly PayloadType[]
  words: Phrase
}[] = [
  {
    with: 'payloads:list',
    without: 'devices.sms:read',
    types: MESSAGE_TYPES,
    words: phrase(
      'Messages stand in its lists, but their conversations cannot be read.',
      'As mensagens aparecem nas listas, mas as conversas não podem ser lidas.',
    ),
  },
  {
    with: 'payloads:list',
    without: 'payloads:read',
    words: phrase(
      'Recordings stand in its lists, but cannot be opened.',
      'As gravações aparecem nas listas, mas não podem ser abertas.',
    ),
  },
  {
    with: 'payloads:read',
    without: 'payloads:list',
    words: phrase(
      'Recordings can be opened, but no list shows them.',
      'As gravações podem ser abertas, mas nenhuma lista as mostra.',
    ),
  },
  {
    with: 'payloads:play',
    without: 'payloads:read',
    words: phrase(
      'Recordings may be played, but the page with the player cannot be opened.',
      'As gravações podem ser reproduzidas, mas a página do reprodutor não pode ser aberta.',
    ),
  },
  {
    with: 'payloads:download',
    without: 'payloads:play',
    words: phrase(
      'Recordings can be downloaded, but not played in the portal.',
      'As gravações podem ser baixadas, mas não reproduzidas no portal.',
    ),
  },
  {
    with: 'payloads:play',
    without: 'payloads.audit:read',
    words: phrase('Who has played a recording stays hidden.', 'Quem reproduziu uma gravação fica oculto.'),
  },
  {
    with: 'groups:update',
    without: 'groups:list',
    words: phrase(
      'Groups may be changed, but no list shows them.',
      'Os grupos podem ser alterados, mas nenhuma lista os mostra.',
    ),
  },
  {
    with: 'roles:update',
    without: 'roles:list',
    words: phrase(
      'Roles may be changed, but no list shows them.',
      'As funções podem ser alteradas, mas nenhuma lista as mostra.',
    ),
  },
  {
    with: 'roles:update',
    without: 'roles:review',
    words: phrase(
      'Roles may be changed, but nothing shows beforehand what a change does.',
      'As funções podem ser alteradas, mas nada mostra antes o efeito de uma alteração.',
    ),
  },
  {
    with: 'alerts:clear',
    without: 'alerts:list',
    words: phrase(
      'Alerts may be cleared, but no list shows them.',
      'Os alertas podem ser encerrados, mas nenhuma lista os mostra.',
    ),
  },
  {
    with: 'supportaccess:decide',
    without: 'supportaccess:list',
    words: phrase(
      'Support access may be approved, but no list shows the requests.',
      'O acesso de suporte pode ser aprovado, mas nenhuma lista mostra as solicitações.',
    ),
  },
]
