/** What is said in the demo recordings. Every name, number and company in them is invented. */

export type Turn = {
  who: 'staff' | 'other'
  text: string
  /** seconds of silence before the turn, 0.35 when absent */ wait?: number
}
export type Conversation = {
  /** Path below `media/`; the extension chooses the container. */
  file: string
  encoding: 'amr-nb' | 'amr-wb' | 'amr-3gp' | 'aac' | 'opus' | 'mp3' | 'wav'
  language: 'en' | 'pt-BR'
  title: string
  /** Two channels: staff left, the other party right. One channel: both mixed, as most phones record. */
  channels: 1 | 2
  /** Which of the language's voices speaks for whom. */
  voices: { staff: 'man' | 'woman'; other: 'man' | 'woman' }
  mutex: Turn[]
}

export const calls: Conversation[] = [
  {
    file: 'calls/en-limit-order.amr',
    encoding: 'amr-nb',
    language: 'en',
    title: 'Client places a limit order',
    channels: 1,
    voices: { staff: 'man', other: 'woman' },
    mutex: [
      {
        who: 'staff',
        text: 'Good morning, Harbour Lane Brokers, equities desk. This line is recorded. How can I help?',
      },
      {
        who: 'other',
        text: 'Good morning, this is Helen Marsh. I would like to buy shares for my pension account.',
      },
      { who: 'staff', text: 'Of course. Which stock, how many, and at what price?' },
      {
        who: 'other',
        text: 'Two thousand shares of Northfield Energy. A limit order at four pounds fifteen, good until Friday.',
      },
      {
        who: 'staff',
        text: 'I repeat. Buy two thousand Northfield Energy, limit four pounds fifteen, good until Friday. Is that correct?',
        wait: 1.2,
      },
      { who: 'other', text: 'Yes, that is correct.' },
      {
        who: 'staff',
        text: 'Thank you. The order is in the market. You will get a confirmation by text message.',
        wait: 2.5,
      },
    ],
  },
  {
    file: 'calls/en-wire-callback.3gp',
    encoding: 'amr-3gp',
    language: 'en',
    title: 'Call back to confirm a payment',
    channels: 1,
    voices: { staff: 'woman', other: 'man' },
    mutex: [
      { who: 'other', text: 'Hello, Daniel Okafor speaking.' },
      {
        who: 'staff',
        text: 'Hello Mister Okafor, this is the payments team at Cedar Private Bank. I am calling back about the transfer you asked for this morning.',
      },
      { who: 'other', text: 'Right, the payment to the builder.' },
      {
        who: 'staff',
        text: 'Before I release it, please tell me the amount and the last four digits of the account it goes to.',
      },
      {
        who: 'other',
        text: 'Eighteen thousand five hundred euros. The account ends in seven two zero nine.',
        wait: 1.5,
      },
      {
        who: 'staff',
        text: 'That matches our instruction. I will release the payment today before four o clock.',
      },
      { who: 'other', text: 'Great, thank you for checking. Goodbye.' },
    ],
  },
  {
    file: 'calls/en-fx-quote.ogg',
    encoding: 'opus',
    language: 'en',
    title: 'Quote for a currency forward',
    channels: 2,
    voices: { staff: 'man', other: 'woman' },
    mutex: [
      {
        who: 'other',
        text: 'Hi, treasury at Alder Foods. Can you make me a price in euro dollar please, three months forward?',
      },
      { who: 'staff', text: 'Sure. In what amount?' },
      { who: 'other', text: 'Two and a half million. We are the buyer of euros.' },
      {
        who: 'staff',
        text: 'One moment. I can offer you one point zero nine four two, valid for the next ten seconds.',
        wait: 3.2,
      },
      { who: 'other', text: 'Done at four two.' },
      {
        who: 'staff',
        text: 'Confirmed. You buy two and a half million euros against dollars at one point zero nine four two, value the sixteenth of March.',
      },
      { who: 'other', text: 'Agreed. Please send the paper to the usual address.' },
    ],
  },
  {
    file: 'calls/en-margin-call.m4a',
    encoding: 'aac',
    language: 'en',
    title: 'Margin call',
    channels: 2,
    voices: { staff: 'woman', other: 'man' },
    mutex: [
      {
        who: 'staff',
        text: 'Good afternoon Mister Reyes, it is the risk desk. Your account is below the required margin since the open.',
      },
      { who: 'other', text: 'I saw that. How much is missing?' },
      {
        who: 'staff',
        text: 'Forty one thousand two hundred dollars. We need the funds, or a reduction of the position, before the close today.',
      },
      {
        who: 'other',
        text: 'I do not want to sell the copper contracts now. I will send the money.',
        wait: 1.8,
      },
      {
        who: 'staff',
        text: 'Then please wire it by three thirty and send me the reference. If it does not arrive we must reduce the position.',
      },
      { who: 'other', text: 'Understood. You will have the reference in twenty minutes.' },
    ],
  },
  {
    file: 'calls/en-complaint.amr',
    encoding: 'amr-wb',
    language: 'en',
    title: 'Complaint about a late execution',
    channels: 1,
    voices: { staff: 'man', other: 'woman' },
    mutex: [
      {
        who: 'other',
        text: 'I want to make a complaint. My sell order on Tuesday was executed almost an hour late.',
      },
      {
        who: 'staff',
        text: 'I am sorry to hear that. I will open a complaint for you now. Do you have the order number?',
      },
      { who: 'other', text: 'It is four four one, dash, nine eight seven.', wait: 2.4 },
      {
        who: 'staff',
        text: 'Thank you. I see it. The order came in at ten past nine and was executed at three minutes past ten.',
        wait: 2.8,
      },
      { who: 'other', text: 'Exactly, and the price fell by three percent in between.' },
      {
        who: 'staff',
        text: 'The compliance team will listen to the recording and answer you in writing within five working days.',
      },
    ],
  },
  {
    file: 'calls/en-voicemail.wav',
    encoding: 'wav',
    language: 'en',
    title: 'Short call, adviser asks for a call back',
    channels: 1,
    voices: { staff: 'woman', other: 'man' },
    mutex: [
      { who: 'other', text: 'Hello, Brightwater Estates, Tom speaking.' },
      {
        who: 'staff',
        text: 'Hi Tom, it is Priya from Cedar Private Bank. I only have a minute. Can we move our meeting to Thursday at eleven?',
      },
      { who: 'other', text: 'Thursday at eleven is fine. See you then.' },
    ],
  },
  {
    file: 'calls/pt-ordem-de-compra.amr',
    encoding: 'amr-nb',
    language: 'pt-BR',
    title: 'Ordem de compra de ações',
    channels: 1,
    voices: { staff: 'man', other: 'woman' },
    mutex: [
      {
        who: 'staff',
        text: 'Bom dia, corretora Porto Claro, mesa de operações. Esta ligação está sendo gravada. Em que posso ajudar?',
      },
      {
        who: 'other',
        text: 'Bom dia, aqui é a Renata Siqueira. Quero comprar mil ações da Vale do Sol Energia.',
      },
      { who: 'staff', text: 'Perfeito. A senhora quer a mercado ou com preço limite?' },
      { who: 'other', text: 'Com limite de vinte e três reais e quarenta centavos, válida para hoje.' },
      {
        who: 'staff',
        text: 'Confirmando: compra de mil ações, limite de vinte e três e quarenta, válida para hoje. Está correto?',
        wait: 1.4,
      },
      { who: 'other', text: 'Está correto, pode enviar.' },
      { who: 'staff', text: 'Ordem enviada. A senhora vai receber a confirmação por mensagem.', wait: 2.2 },
    ],
  },
  {
    file: 'calls/pt-confirmacao-ted.mp3',
    encoding: 'mp3',
    language: 'pt-BR',
    title: 'Confirmação de transferência',
    channels: 1,
    voices: { staff: 'woman', other: 'man' },
    mutex: [
      { who: 'other', text: 'Alô, Marcelo falando.' },
      {
        who: 'staff',
        text: 'Boa tarde, seu Marcelo. Aqui é do Banco Ipê, área de pagamentos. Estou ligando para confirmar a transferência de hoje.',
      },
      { who: 'other', text: 'Sim, fui eu que pedi. São doze mil reais para o fornecedor.' },
      {
        who: 'staff',
        text: 'Por segurança, o senhor pode me dizer os três últimos números da conta de destino?',
      },
      { who: 'other', text: 'Oito, cinco, um.', wait: 1.6 },
      { who: 'staff', text: 'Confere. O valor será liberado em até dez minutos. Obrigada.' },
    ],
  },
  {
    file: 'calls/pt-cambio.m4a',
    encoding: 'aac',
    language: 'pt-BR',
    title: 'Cotação de câmbio',
    channels: 2,
    voices: { staff: 'man', other: 'woman' },
    mutex: [
      {
        who: 'other',
        text: 'Oi, é da tesouraria da Serra Azul Alimentos. Preciso de uma cotação de dólar para trezentos mil.',
      },
      {
        who: 'staff',
        text: 'Um momento, por favor. Consigo cinco e quarenta e dois, válido por quinze segundos.',
        wait: 0.6,
      },
      { who: 'other', text: 'Fechado.', wait: 2.6 },
      {
        who: 'staff',
        text: 'Fechado: a senhora compra trezentos mil dólares a cinco e quarenta e dois, liquidação em dois dias úteis.',
      },
      { who: 'other', text: 'De acordo. Mande o contrato por email, por favor.' },
    ],
  },
  {
    file: 'calls/pt-reclamacao.3gp',
    encoding: 'amr-3gp',
    language: 'pt-BR',
    title: 'Reclamação sobre uma taxa',
    channels: 1,
    voices: { staff: 'woman', other: 'man' },
    mutex: [
      { who: 'other', text: 'Boa tarde. Foi cobrada uma taxa de custódia que não estava no contrato.' },
      { who: 'staff', text: 'Entendo. Vou registrar a sua reclamação. Qual é o valor da cobrança?' },
      { who: 'other', text: 'Cento e oitenta reais, no dia dez.', wait: 1.2 },
      {
        who: 'staff',
        text: 'Já encontrei. Vou pedir o estorno, e a resposta chega em até cinco dias úteis.',
        wait: 2.9,
      },
      { who: 'other', text: 'Está bem, obrigado.' },
    ],
  },
]

export const interviews: Conversation[] = [
  {
    file: 'interviews/en-suitability.m4a',
    encoding: 'aac',
    language: 'en',
    title: 'Suitability interview with a new client',
    channels: 1,
    voices: { staff: 'woman', other: 'man' },
    mutex: [
      {
        who: 'staff',
        text: 'Thank you for coming in. I am recording our talk, as I explained. Are you happy with that?',
      },
      { who: 'other', text: 'Yes, no problem.' },
      {
        who: 'staff',
        text: 'Let us start with your experience. Have you invested in funds or shares before?',
      },
      {
        who: 'other',
        text: 'A little. I have had an index fund for six years, and some shares of my former employer.',
      },
      {
        who: 'staff',
        text: 'And how would you feel if the value of your savings fell by a fifth within one year?',
      },
      {
        who: 'other',
        text: 'I would not like it, but I would not sell. I do not need the money before I retire.',
        wait: 2.2,
      },
      { who: 'staff', text: 'When do you plan to retire?' },
      { who: 'other', text: 'In about fifteen years. My wife a little earlier.' },
      {
        who: 'staff',
        text: 'Good. Is there any larger expense before that, a house or university fees?',
        wait: 0.8,
      },
      {
        who: 'other',
        text: 'The roof of our house has to be done in two or three years. Perhaps thirty thousand.',
        wait: 1.6,
      },
      {
        who: 'staff',
        text: 'Then I suggest we keep that part in cash, and plan the rest for the long term. I will send you a written summary.',
      },
      { who: 'other', text: 'That sounds sensible. Thank you.' },
    ],
  },
  {
    file: 'interviews/pt-perfil-do-investidor.m4a',
    encoding: 'aac',
    language: 'pt-BR',
    title: 'Entrevista de perfil do investidor',
    channels: 1,
    voices: { staff: 'man', other: 'woman' },
    mutex: [
      {
        who: 'staff',
        text: 'Obrigado por vir. Como expliquei, a nossa conversa está sendo gravada. Tudo bem para a senhora?',
      },
      { who: 'other', text: 'Tudo bem.' },
      { who: 'staff', text: 'A senhora já investiu em fundos ou em ações?' },
      { who: 'other', text: 'Só em renda fixa e na poupança. Comecei há quatro anos.' },
      { who: 'staff', text: 'E qual é o objetivo deste investimento?' },
      {
        who: 'other',
        text: 'Quero pagar a faculdade da minha filha. Ela entra daqui a oito anos.',
        wait: 1.8,
      },
      { who: 'staff', text: 'Se o valor caísse dez por cento em um ano, o que a senhora faria?' },
      {
        who: 'other',
        text: 'Eu ficaria preocupada, mas esperaria, se o senhor me explicasse o motivo.',
        wait: 2.4,
      },
      {
        who: 'staff',
        text: 'Entendi. O seu perfil é moderado. Vou enviar uma proposta com setenta por cento em renda fixa.',
      },
      { who: 'other', text: 'Ótimo, fico esperando a proposta.' },
    ],
  },
]

/** Spoken over the two videos. */
export const narrations = {
  site: {
    language: 'en',
    voice: 'woman',
    text: 'This is the north side of the site. The second floor is closed, and the crane comes down on Monday.',
  },
  obra: {
    language: 'pt-BR',
    voice: 'man',
    text: 'Este é o lado norte da obra. A laje do segundo andar está pronta para a vistoria.',
  },
} as const
