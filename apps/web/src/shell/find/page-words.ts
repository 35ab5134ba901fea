/** Common words for a page, in both languages: readers type the word of their work, whatever the page is called. */
export const PAGE_WORDS: Readonly<Record<string, string>> = {
  '/dashboard': 'dashboard overview worklist inbox start painel visão geral pendências página inicial',
  '/dashboard/services/calls':
    'phone voice recording export telefone telefonema ligação gravação voz exportar',
  '/dashboard/services/messages': 'sms mms rcs text chat conversation texto conversa torpedo',
  '/dashboard/services/interviews': 'meeting dictation reunião',
  '/dashboard/services/photos': 'picture image camera foto imagem câmera',
  '/dashboard/services/videos': 'film movie filme filmagem',
  '/dashboard/services/words': 'content keyword full text lexicon palavra conteúdo termo',
  '/dashboard/services/comments': 'note remark nota observação',
  '/dashboard/services/reviews': 'statistics supervision reviewed estatística supervisão revisadas',
  '/dashboard/governance/retention':
    'policy delete deletion period storage MiFID política exclusão excluir prazo guarda armazenamento CVM',
  '/dashboard/governance/holds': 'litigation freeze preserve hold guarda legal preservação litígio bloqueio',
  '/dashboard/governance/matters': 'case investigation litigation caso investigação processo litígio',
  '/dashboard/governance/approvals':
    'proposal dual control four eyes confirm proposta dupla aprovação aprovar quatro olhos confirmar',
  '/dashboard/governance/destructions':
    'certificate erase release destroy certificado eliminação apagar destruir liberação',
  '/dashboard/governance/requests':
    'GDPR LGPD DSAR privacy erasure access copy export titular privacidade eliminação acesso cópia exportar',
  '/dashboard/devices': 'phone fleet handset enrol capture gap telefone celular aparelho frota lacuna',
  '/dashboard/devices/users': 'employee person staff onboarding funcionário pessoa colaborador admissão',
  '/dashboard/devices/logs': 'error diagnostic erro',
  '/dashboard/devices/metrics': 'statistics numbers uploads estatística números envios',
  '/dashboard/services/diagnostics': 'support report suporte relatório',
  '/dashboard/access/people': 'user login account usuário conta',
  '/dashboard/access/recertifications':
    'access review attestation confirm revoke revisão de acesso atestação confirmar revogar',
  '/dashboard/access/groups': 'team desk department equipe mesa departamento',
  '/dashboard/access/roles': 'permission right permissão direito perfil',
  '/dashboard/access/tags': 'label category etiqueta categoria',
  '/dashboard/account/alerts': 'warning notification alarm aviso notificação alarme',
  '/dashboard/account/webhooks': 'integration API SIEM integração',
  '/dashboard/account/transfers':
    'export archive SFTP S3 delivery reconciliation exportação exportar arquivo entrega reconciliação',
  '/dashboard/account/migrations': 'import legacy importação importar legado',
  '/dashboard/account/audit': 'log activity history who listened registro atividade histórico quem ouviu',
  '/dashboard/account/licenses': 'licence seat contract licença contrato',
  '/dashboard/account/apps': 'API client integration key integração chave',
  '/dashboard/account/settings':
    'defaults networks security limits reasons settings preferences padrões redes segurança limites motivos preferências',
  '/dashboard/devices/completeness':
    'missing lost gap sequence statement faltando perdidas lacuna declaração',
  '/dashboard/account/support-access': 'help provider helpdesk ajuda suporte provedor',
}

/** Lists with saved views: their name in this browser's storage, and their page. */
export const VIEWED_LISTS: Readonly<Record<string, string>> = {
  calls: '/dashboard/services/calls',
  messages: '/dashboard/services/messages',
  interviews: '/dashboard/services/interviews',
  photos: '/dashboard/services/photos',
  videos: '/dashboard/services/videos',
  diagnostics: '/dashboard/services/diagnostics',
  words: '/dashboard/services/words',
  comments: '/dashboard/services/comments',
  'legal-holds': '/dashboard/governance/holds',
  'legal-matters': '/dashboard/governance/matters',
  'data-requests': '/dashboard/governance/requests',
  proposals: '/dashboard/governance/approvals',
  devices: '/dashboard/devices',
  'device-users': '/dashboard/devices/users',
  'device-logs': '/dashboard/devices/logs',
  alerts: '/dashboard/account/alerts',
  activities: '/dashboard/account/audit',
}
