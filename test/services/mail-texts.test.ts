import { describe, expect, it } from 'vitest'
import { type ReviewNews, resetMail, reviewMail } from '../../src/services/mail-texts.js'

const to = 'ada@example.com'
const link = 'https://cms.example/reset?a=1&token="x"'

describe('a mail', () => {
  it('with a link for a new password says what happens without it', () => {
    expect(resetMail(to, link)).toEqual({
      to,
      subject: 'Set a new password',
      text: [
        'Somebody asked to set a new password for your account.',
        'If it was you, open this link within an hour:',
        '',
        link,
        '',
        'If it was not you, do nothing: your password stays as it is.',
        '',
      ].join('\n'),
      html: [
        '<p>Somebody asked to set a new password for your account.<br>',
        'If it was you, open this link within an hour:</p>',
        '<p><a href="https://cms.example/reset?a=1&amp;token=&quot;x&quot;">Set a new password</a></p>',
        '<p>If it was not you, do nothing: your password stays as it is.</p>',
      ].join(''),
    })
  })

  it.each<[ReviewNews['what'], string]>([
    ['mentioned', 'Ada mentioned you in a comment on “Home”'],
    ['open', 'Ada requested a review of “Home”'],
    ['approved', 'Ada published “Home”'],
    ['returned', 'Ada sent “Home” back'],
  ])('about a review (%s) has a sentence, the words and a link', (what, sentence) => {
    const { subject, text } = reviewMail(to, link, { what, who: 'Ada', title: 'Home', words: 'One\ntwo' })
    expect([subject, text]).toEqual([sentence, `${sentence}\n\nOne\ntwo\n\n${link}\n`])
    const silent = reviewMail(to, link, { what, who: 'Ada', title: 'Home', words: '' })
    expect(silent.text).toBe(`${sentence}\n\n${link}\n`)
  })

  it('shows names, titles and words as text', () => {
    const news = { what: 'open', who: '<b>Ada</b>', title: 'A & "B"', words: '<script>\nx' } as const
    expect(reviewMail(to, 'https://cms.example/', news).html).toBe(
      [
        '<p>&lt;b&gt;Ada&lt;/b&gt; requested a review of “A &amp; &quot;B&quot;”</p>',
        '<p>&lt;script&gt;<br>x</p>',
        '<p><a href="https://cms.example/">Open it</a></p>',
      ].join(''),
    )
  })
})
