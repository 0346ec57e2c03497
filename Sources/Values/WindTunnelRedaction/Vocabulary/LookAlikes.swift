/// Letters that look like a Latin one, and are of another script or made to look so.
enum LookAlikes {
  /// The Latin letter that each looks like, in lower case.
  static let latin = Dictionary(
    // First the Latin letter, then letters of other scripts, small capitals and white letters.
    Vocabulary.words(
      """
      aаᴀɑαАΑᎪꓮ🅐🅰 bвьʙВΒᏴꓐ🅑🅱 cсᴄςСΣᏟꓚ🅒🅲 dԁᴅđðĐᎠꓓ🅓🅳 eеᴇҽεЕΕᎬꓰ🅔🅴 fꜰꓝ🅕🅵 gɡɢցԌᏀꓖ🅖🅶 hһʜհнНΗᎻꓧħ🅗🅷
      iіıɪιІΙӀᏆꓲ🅘🅸 jјᴊյЈᎫꓙ🅙🅹 kкᴋκКΚᏦꓗ🅚🅺 lӏʟłŁᏞꓡ🅛🅻 mмᴍМΜᎷꓟ🅜🅼 nпɴηոΝꓠ🅝🅽 oоᴏοօøОΟØꓳ🅞🅾 pрᴘρРΡᏢꓑ🅟🅿
      qԛզ🅠🆀 rгʀᎡꓣ🅡🆁 sѕꜱЅՏᏚꓢ🅢🆂 tтᴛτТΤᎢꓔ🅣🆃 uυսᴜꓴ🅤🆄 vѵᴠνѴᏙꓦ🅥🆅 wԝᴡωԜᎳꓪ🅦🆆 xхХΧꓫ🅧🆇 yуʏγУΥҮᎩꓬү🅨🆈 zᴢΖᏃꓜ🅩🆉
      """
    ).map(\.unicodeScalars).flatMap { row in row.dropFirst().map { ($0, row[row.startIndex]) } },
    uniquingKeysWith: { one, _ in one }
  )
}
