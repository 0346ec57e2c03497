/// Letters that look like Latin ones but belong to another script or style.
enum LookAlikes {
  /// The similar Latin letter for each letter, in lower case.
  static let latin = Dictionary(
    // First the Latin letter, then similar letters of other scripts, small capitals and enclosed
    // letters.
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
