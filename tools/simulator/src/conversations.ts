import type { DemoPerson } from './media.ts'

/** A thread: lines of the holder (`O`) and of the other side (`I`), minutes apart. */
export interface Conversation {
  locale: DemoPerson['locale']
  type: 'SMS' | 'RCS' | 'MMS'
  /** Index of the locale's contact, or a sender without number. */
  contact: number | string
  lines: readonly (readonly ['I' | 'O', string, number])[]
  /** The line with the picture of an MMS. */
  picture?: number
}

export const CONVERSATIONS: readonly Conversation[] = [
  {
    locale: 'en-GB',
    type: 'SMS',
    contact: 0,
    lines: [
      [
        'I',
        'Morning. We would like to build the gilt position by Thursday, 25m nominal. What can you show?',
        0,
      ],
      [
        'O',
        'Morning Elena. Indicative 99.42 for the first 10m, the rest worked over the day. Will call to confirm.',
        6,
      ],
      ['I', 'Fine by me. Please leave the order good till close and send the fills at five.', 11],
      [
        'O',
        'Understood: buy 25m, good till close, 10m at 99.42 or better. Confirmation follows by e-mail.',
        3,
      ],
      ['O', 'Filled 25m at an average of 99.435. Ticket is with your back office.', 355],
    ],
  },
  {
    locale: 'en-GB',
    type: 'SMS',
    contact: 1,
    lines: [
      ['I', 'Could we move our review to Wednesday at 3? I shall bring the trust deed.', 0],
      [
        'O',
        'Wednesday at 3 suits me, Mr Whitcombe. Please also bring a recent proof of address, ours is over a year old.',
        25,
      ],
      [
        'I',
        'Will do. One question beforehand: is the structured note still suitable given what we discussed?',
        14,
      ],
      [
        'O',
        'I would rather go through the risk profile again with you before I answer that. It stays on the agenda.',
        9,
      ],
      ['I', 'Very good. See you then.', 4],
    ],
  },
  {
    locale: 'en-GB',
    type: 'SMS',
    contact: 2,
    lines: [
      [
        'O',
        'Daniel, the facility letter went out this morning. Any comments from your side by Friday, please.',
        0,
      ],
      [
        'I',
        'Got it, thanks. Our counsel asks whether the leverage covenant is tested quarterly or half-yearly.',
        48,
      ],
      ['O', 'Quarterly, first test end of March. It is in clause 14.2.', 7],
      ['I', 'OK. We can live with that if the cure period is 15 business days.', 31],
      ['O', 'I will take that to credit committee and come back to you tomorrow.', 5],
    ],
  },
  {
    locale: 'en-GB',
    type: 'SMS',
    contact: 4,
    lines: [
      ['I', 'You around? Need a level on the 5y before the number.', 0],
      ['O', 'Here. 61 / 62.5 in 10, valid for the next minute only.', 2],
      ['I', 'Too wide. Can we take this to another app? Easier to talk there.', 3],
      ['O', 'No, sorry. This line is recorded and it has to stay on this line.', 2],
      ['I', 'Fair enough. I lift 62.5 for 10.', 1],
      ['O', 'Done, you buy 10 at 62.5. Thanks Kurt.', 1],
    ],
  },
  {
    locale: 'en-GB',
    type: 'SMS',
    contact: 5,
    lines: [
      ['O', 'Samira, the settlement for trade 88213 failed: your custodian has no matching instruction.', 0],
      ['I', 'Looking into it. The SSI changed last month, was that not on your side?', 18],
      ['O', 'We still have the old one. Please send the new SSI signed by two of your authorised people.', 6],
      ['I', 'On its way. Please confirm once it is matched.', 40],
      ['O', 'Matched and settled at 15:10. No penalty this time.', 95],
    ],
  },
  {
    locale: 'en-GB',
    type: 'SMS',
    contact: 'HELVIABANK',
    lines: [
      [
        'I',
        'Your sign-in to the dealing portal was confirmed from a new device. If this was not you, call us now.',
        0,
      ],
      ['I', 'Reminder: your dealing certificate expires in 14 days. Renew it in the portal.', 2880],
    ],
  },
  {
    locale: 'en-GB',
    type: 'RCS',
    contact: 3,
    lines: [
      ['I', 'Hi! Term sheet v3 is in the data room 📎', 0],
      ['O', 'Thanks Priya, reading it now. Did the board agree to the warrant cover?', 12],
      ['I', 'Yes, 8 % at the last price. They want signatures before the quarter ends ✍️', 5],
      ['O', 'That is tight but doable. I will line up legal for Tuesday.', 8],
      ['I', 'Perfect. Nothing of this outside the working group, please.', 2],
    ],
  },
  {
    locale: 'en-GB',
    type: 'MMS',
    contact: 8,
    picture: 0,
    lines: [
      ['I', 'The whiteboard from this morning, before they wipe it.', 0],
      ['O', 'Thanks, that saves me. I will type it up and file it under the mandate.', 15],
    ],
  },
  {
    locale: 'pt-BR',
    type: 'SMS',
    contact: 0,
    lines: [
      ['I', 'Bom dia! Conseguimos fechar o câmbio hoje? São US$ 1,2 milhão, liquidação em D+2.', 0],
      ['O', 'Bom dia, Carla. Consigo 5,4320 agora, válido por dois minutos. Posso travar?', 3],
      ['I', 'Pode travar. Mando a documentação do contrato até o meio-dia.', 1],
      ['O', 'Travado: US$ 1,2 milhão a 5,4320, D+2. O boleto segue por e-mail.', 2],
      ['I', 'Recebido, obrigada!', 41],
    ],
  },
  {
    locale: 'pt-BR',
    type: 'SMS',
    contact: 1,
    lines: [
      ['O', 'Rogério, o comitê aprovou o limite, mas pediu o balanço auditado de 2025.', 0],
      ['I', 'Ótima notícia. A auditoria termina na sexta, envio na segunda-feira cedo.', 22],
      ['O', 'Perfeito. Sem o balanço a linha fica bloqueada para saque, tudo bem?', 4],
      ['I', 'Tudo bem, estamos cientes.', 6],
    ],
  },
  {
    locale: 'pt-BR',
    type: 'SMS',
    contact: 2,
    lines: [
      ['I', 'Doutora, meu filho disse que a renda fixa rende mais em outro banco. O que a senhora acha?', 0],
      [
        'O',
        'Dona Helena, prefiro comparar com calma na reunião: prazo, imposto e liquidez fazem diferença.',
        17,
      ],
      ['I', 'Está bem. Quinta às 10h ainda vale?', 5],
      ['O', 'Vale sim. Vou levar as três opções por escrito.', 2],
    ],
  },
  {
    locale: 'pt-BR',
    type: 'SMS',
    contact: 3,
    lines: [
      ['I', 'Lote de café de 320 sacas, entrega em Santos. Qual a sua melhor compra?', 0],
      ['O', 'Paulo, compro a 1.985 a saca, pagamento em 5 dias úteis.', 9],
      ['I', 'Fecho a 2.000 e já reservo o caminhão.', 4],
      ['O', 'Fechado: 320 sacas a 2.000. Confirmação gravada nesta linha.', 3],
    ],
  },
  {
    locale: 'pt-BR',
    type: 'RCS',
    contact: 4,
    lines: [
      ['O', 'Fernanda, segue o roteiro da visita: 9h matriz, 11h fábrica, 14h diretoria.', 0],
      ['I', 'Anotado 👍 O diretor pediu para incluir a proposta do derivativo.', 13],
      ['O', 'Incluo, com o questionário de adequação respondido antes.', 6],
    ],
  },
  {
    locale: 'pt-BR',
    type: 'MMS',
    contact: 6,
    picture: 0,
    lines: [['O', 'Foto do contrato assinado. O original vai por malote amanhã.', 0]],
  },
]

/** Texts for load tests. */
export const SHORT_TEXTS = [
  'Confirmed, thank you.',
  'Please call me when you are back at your desk.',
  'The papers are signed and on their way.',
  'Pode confirmar o valor, por favor?',
  'Recebido, obrigado.',
] as const
