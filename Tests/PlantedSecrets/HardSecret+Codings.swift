internal import Foundation
internal import WindTunnel

extension HardSecret {
  private static let json = "application/json"
  private static let form = "application/x-www-form-urlencoded"
  private static let plain = "text/plain; charset=utf-8"

  /// Secrets in codings.
  static let codings: [HardSecret] = charsets + binary + mail + letters + nested

  private static let charsets: [HardSecret] = [
    coded(65010, "UTF-16LE without a mark", "/utf16/a", "application/json; charset=utf-16le") {
      Coder.utf16(#"{"user":"ada","password":"\#($0)","active":true}"#)
    },
    coded(65020, "UTF-16BE without a mark", "/utf16/b", "text/xml; charset=UTF-16BE") {
      Coder.utf16("<login><user>ada</user><apiKey>\($0)</apiKey></login>", big: true)
    },
    coded(
      65030,
      "UTF-16LE that was sent",
      "/utf16/c",
      "text/plain; charset=\"utf-16le\"",
      isSent: true
    ) { Coder.utf16("client_id=shop\r\nclient_secret=\($0)\r\nscope=read\r\n") },
    coded(
      65040,
      "UTF-16LE that echoes a bearer",
      "/utf16/d",
      "text/csv; charset=utf-16le",
      "{m32}",
      ["Authorization": "Bearer §"]
    ) {
      Coder.utf16("when,what\r\n2024-03-01,call with \($0)\r\n")
    },
    coded(65050, "UTF-32LE", "/utf32/a", "application/json; charset=utf-32le") {
      Coder.utf32(#"{"id":4,"refresh_token":"\#($0)"}"#)
    },
    coded(65060, "Cyrillic of Windows", "/cp1251/a", "text/plain; charset=windows-1251") {
      Array("login=ivan\r\n".utf8) + [0xEF, 0xE0, 0xF0, 0xEE, 0xEB, 0xFC] + Array("=\($0)\r\n".utf8)
    },
    coded(65070, "Spanish in Latin-1", "/latin1/a", "application/xml; charset=ISO-8859-1") {
      let name = Array("contrase".utf8) + [0xF1, 0x61]
      return Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><u><".utf8) + name
        + Array(">\($0)</".utf8) + name + Array("></u>".utf8)
    },
    coded(65080, "Japanese CSV of Excel", "/sjis/a", "text/csv; charset=Shift_JIS") {
      Array("ID,".utf8) + [0x83, 0x70, 0x83, 0x58, 0x83, 0x8F, 0x81, 0x5B, 0x83, 0x68]
        + Array(",mail\r\nharuka,\($0),h@example.test\r\n".utf8)
    },
    coded(65090, "Chinese in GBK", "/gbk/a", "application/json; charset=gbk") {
      Array(#"{"user":"li",""#.utf8) + [0xC3, 0xDC, 0xC2, 0xEB] + Array(#"":"\#($0)"}"#.utf8)
    },
  ]

  private static let binary: [HardSecret] = [
    coded(65110, "CBOR with a text", "/cbor/a", "application/cbor") {
      Coder.cbor(map: ["user": Coder.cbor("ada"), "password": Coder.cbor($0), "ttl": [0x18, 60]])
    },
    coded(65120, "CBOR with bytes", "/cbor/b", "application/cbor", "{m32}") {
      Coder.cbor(map: ["kid": Coder.cbor("k1"), "secret_key": Coder.cbor(bytes: $0)])
    },
    coded(
      65130,
      "CBOR with a tag, an array and a map without an end",
      "/cbor/c",
      "application/cbor",
      "{m40}"
    ) {
      let map = Coder.cbor("id") + [7] + Coder.cbor("access_token") + Coder.cbor($0)
      return [0xD9, 0xD9, 0xF7] + Coder.cbor(array: [[0xBF] + map + [0xFF], [0xF6]])
    },
    coded(
      65140,
      "CBOR that was sent with a device's key",
      "/cbor/d",
      "application/cbor",
      "{m32}",
      isSent: true
    ) {
      let credentials = Coder.cbor(map: ["apiKey": Coder.cbor($0), "version": [2]])
      return Coder.cbor(map: ["device": Coder.cbor("pump-7"), "credentials": credentials])
    },
    coded(
      65150,
      "CBOR in a sequence that echoes a bearer",
      "/cbor/e",
      "application/cbor-seq",
      "{m32}",
      ["Authorization": "Bearer §"]
    ) {
      Coder.cbor(array: [[1], Coder.cbor("hello")]) + Coder.cbor(array: [[2], Coder.cbor($0)])
    },
    coded(
      65160,
      "text of gRPC-web",
      "/shop.v1.Auth/WhoAmI",
      "application/grpc-web-text",
      "{m40}",
      ["Authorization": "Bearer §", "X-Grpc-Web": "1"]
    ) {
      let message = Coder.field(1, "ada") + Coder.field(2, $0)
      let trailer = Coder.frame(Array("grpc-status:0\r\n".utf8), flag: 0x80)
      return Array((Data(Coder.frame(message) + trailer)).base64EncodedString().utf8)
    },
    coded(
      65170,
      "text of gRPC-web in two pieces of base64",
      "/shop.v1.Auth/Echo",
      "application/grpc-web-text+proto",
      "{m44}",
      ["Authorization": "Bearer §"]
    ) {
      let frame = Data(Coder.frame(Coder.field(3, Coder.field(1, $0)))).base64EncodedString()
      let trailer = Data(Coder.frame(Array("grpc-status:0\r\n".utf8), flag: 0x80))
      return Array((frame + trailer.base64EncodedString()).utf8)
    },
    coded(
      65180,
      "frame of gRPC-web",
      "/shop.v1.Auth/Trace",
      "application/grpc-web+proto",
      "{m40}",
      ["X-Api-Key": "§"]
    ) {
      Coder.frame(Coder.field(1, "trace-1") + Coder.field(4, "key " + $0 + " accepted"))
    },
    coded(65190, "map of protobuf", "/proto/a", "application/x-protobuf") {
      Coder.field(1, "settings") + Coder.field(2, Coder.field(1, "db_user") + Coder.field(2, "app"))
        + Coder.field(2, Coder.field(1, "db_password") + Coder.field(2, $0))
    },
    coded(65200, "structure of protobuf", "/proto/b", "application/proto") {
      let value = Coder.field(3, $0)
      return Coder.field(1, Coder.field(1, "client_secret") + Coder.field(2, value))
    },
    coded(65210, "MessagePack with a text", "/msgpack/a", "application/msgpack", "{m40}") {
      Coder.pack(map: ["id": [9], "access_token": Coder.pack($0), "scope": Coder.pack("read")])
    },
    coded(65220, "MessagePack with bytes within", "/msgpack/b", "application/vnd.msgpack") {
      let inner = Coder.pack(map: ["login": Coder.pack("ada"), "passwd": Coder.pack(bytes: $0)])
      return Coder.pack(map: ["ok": [0xC3], "user": inner])
    },
    coded(65230, "BSON", "/bson/a", "application/bson") {
      Coder.bson(["_id": "u7", "user": "ada", "password": $0])
    },
  ]

  private static let mail: [HardSecret] = [
    coded(
      65310,
      "quoted-printable text",
      "/qp/a",
      plain,
      answerHeaders: [
        "Content-Transfer-Encoding": "quoted-printable"
      ]
    ) {
      Array("Gr=C3=BC=C3=9Fe!\r\nPasswort: \(Coder.broken($0))\r\nBis bald\r\n".utf8)
    },
    coded(
      65320,
      "quoted-printable part of a form",
      "/qp/b",
      "multipart/form-data; boundary=frontier",
      "{m32}",
      isSent: true
    ) {
      Array(
        """
        --frontier\r\nContent-Disposition: form-data; name="user"\r\n\r\nada\r
        --frontier\r\nContent-Disposition: form-data; name="password"\r
        Content-Transfer-Encoding: quoted-printable\r\n\r\n\(Coder.broken($0, after: 15))\r
        --frontier--\r\n
        """.utf8
      )
    },
    coded(65330, "quoted-printable page in a mail", "/qp/c", "message/rfc822", "{m40}") {
      Array(
        """
        From: shop@example.test\r\nSubject: Reset\r\nMIME-Version: 1.0\r
        Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r
        <a href=3D"https://app.example.test/r?reset_token=3D\(Coder.broken($0, after: 20))">=\r
        Choose a new one</a>\r\n
        """.utf8
      )
    },
    coded(65340, "base64 part of a mail", "/mime/a", "multipart/mixed; boundary=b1", "{m48}") {
      let text = Coder.base64(
        #"{"account":{"name":"ada","note":"weekly export of all","password":"\#($0)"}}"#
      )
      return Array(
        """
        --b1\r\nContent-Type: application/json\r\nContent-Transfer-Encoding: base64\r\n\r
        \(Coder.wrapped(text, 76, "\r\n"))\r\n--b1--\r\n
        """.utf8
      )
    },
    coded(65350, "base64 of a whole answer at 76 columns", "/mime/b", plain, "{m48}") {
      let text = Coder.base64(
        #"{"region":"eu","bucket":"nightly-backups-of-2024","secretAccessKey":"\#($0)"}"#
      )
      return Array((Coder.wrapped(text, 76, "\r\n") + "\r\n").utf8)
    },
    coded(65360, "base64 at 64 columns in a member", "/mime/c", json, "{m48}") {
      let text = Coder.base64("user=ada&comment=one+more+line+of+some+width&client_secret=\($0)")
      return Array(#"{"file":"a.conf","content":"\#(Coder.wrapped(text, 64, "\\n"))\n"}"#.utf8)
    },
    coded(65370, "subject of a mail in base64", "/mime/d", "message/rfc822") {
      let subject = Coder.base64("Your new password: \($0)")
      return Array("From: a@example.test\r\nSubject: =?UTF-8?B?\(subject)?=\r\n\r\nHello\r\n".utf8)
    },
    coded(65380, "subject of a mail in quoted letters", "/mime/e", "message/rfc822") {
      let secret = Coder.each($0, "=", uppercase: true)
      return Array("Subject: =?iso-8859-1?Q?Password=3A_\(secret)?=\r\n\r\nHello\r\n".utf8)
    },
    coded(
      65390,
      "bearer in lines of 64",
      "/wrap/a",
      plain,
      "{u180}",
      ["Authorization": "Bearer §"]
    ) {
      Array("received:\n\(Coder.wrapped($0, 64))\nend of text\n".utf8)
    },
    coded(
      65400,
      "bearer in quoted lines of 76",
      "/wrap/b",
      plain,
      "{u200}",
      ["Authorization": "Bearer §"]
    ) {
      Array("On Friday you sent:\r\n> \(Coder.wrapped($0, 76, "\r\n> "))\r\n".utf8)
    },
    coded(
      65410,
      "key of a field in lines of YAML",
      "/wrap/c",
      "application/yaml",
      "{m120}",
      ["X-Api-Key": "§"]
    ) {
      Array("seen:\n  text: >-\n    \(Coder.wrapped($0, 40, "\n    "))\n  count: 1\n".utf8)
    },
  ]

  private static let letters: [HardSecret] = [
    coded(65510, "digits with spaces", "/hex/a", plain) {
      Array(Coder.each(#"{"password":"\#($0)"}"#, "", " ").utf8)
    },
    coded(65520, "digits with colons in a member", "/hex/b", json) {
      let digits = Coder.each("api_key=\($0)&v=1", "", ":", uppercase: true).dropLast()
      return Array(#"{"id":3,"payload":"\#(digits)"}"#.utf8)
    },
    coded(65530, "capital digits", "/hex/c", json) {
      Array(#"{"raw":"\#(Coder.each("user=ada&passwd=\($0)", "", uppercase: true))"}"#.utf8)
    },
    coded(65540, "digits with a mark as PostgreSQL prints bytes", "/hex/d", json) {
      Array(#"{"rows":[{"doc":"\\x\#(Coder.each(#"{"token":"\#($0)"}"#, ""))"}]}"#.utf8)
    },
    coded(65550, "token in capitals", "/case/a", plain, "{h40}", ["Authorization": "token §"]) {
      Array("LAST SEEN TOKEN \($0.uppercased()) AT 10:00\n".utf8)
    },
    coded(65560, "each letter with a percent sign", "/percent/a", form, isSent: true) {
      Array("username=ada&password=\(Coder.each($0, "%", uppercase: true))&go=1".utf8)
    },
    coded(65570, "percent signs of percent signs", "/percent/b", plain) {
      Array("next=https%3A%2F%2Fa.example.test%2F%3Ftoken%3D\(Coder.each($0, "%25"))".utf8)
    },
    coded(65580, "percent signs of an old script", "/percent/c", form, isSent: true) {
      Array("login=ada&pwd=\(Coder.each($0, "%u", width: 4))&lang=en".utf8)
    },
    coded(65590, "decimal references in a page", "/entities/a", "text/html") {
      let secret = Coder.each($0, "&#", ";", radix: 10, width: 1)
      return Array("<dl><dt>Password</dt><dd>\(secret)</dd></dl>".utf8)
    },
    coded(65600, "hexadecimal references in an attribute", "/entities/b", "text/html") {
      let secret = Coder.each($0, "&#x", ";")
      return Array("<input type=\"hidden\" name=\"csrf_token\" value=\"\(secret)\">".utf8)
    },
    coded(65610, "padded references in XML", "/entities/c", "application/xml") {
      let secret = Coder.each($0, "&#", ";", radix: 10, width: 5)
      return Array("<cfg><user>ada</user><clientSecret>\(secret)</clientSecret></cfg>".utf8)
    },
    coded(65620, "escapes of JSON for each letter", "/escapes/a", json) {
      Array(#"{"id":1,"access_token":"\#(Coder.each($0, "\\u", width: 4))"}"#.utf8)
    },
    coded(65630, "escapes of JSON for the name, too", "/escapes/b", json) {
      let name = Coder.each("password", "\\u", width: 4, uppercase: true)
      return Array(#"{"\#(name)":"\#(Coder.each($0, "\\u", width: 4, uppercase: true))"}"#.utf8)
    },
    coded(65640, "octal escapes of PHP", "/escapes/c", plain) {
      Array("'db_password' => \"\(Coder.each($0, "\\", radix: 8, width: 3))\",\n".utf8)
    },
    coded(65650, "escapes of Python's bytes", "/escapes/d", plain) {
      Array("{'user': b'ada', 'secret_key': b'\(Coder.each($0, "\\x"))'}\n".utf8)
    },
    coded(65660, "escapes of a YAML string", "/escapes/e", "application/yaml") {
      Array("smtp:\n  host: mx\n  password: \"\(Coder.each($0, "\\x"))\"\n".utf8)
    },
    coded(65670, "bytes of Node as numbers", "/numbers/a", json) {
      let bytes = Coder.each($0, "", ",", radix: 10, width: 1).dropLast()
      return Array(#"{"sessionToken":{"type":"Buffer","data":[\#(bytes)]}}"#.utf8)
    },
  ]

  private static let nested: [HardSecret] = [
    coded(65710, "base32 of JSON", "/base32/a", json) {
      Array(#"{"backup":"\#(Coder.base32(#"{"password":"\#($0)"}"#))"}"#.utf8)
    },
    coded(65720, "base64 of base64", "/base64/a", json) {
      Array(#"{"blob":"\#(Coder.base64(Coder.base64(#"{"api_key":"\#($0)"}"#)))"}"#.utf8)
    },
    coded(65730, "address of data in a page", "/base64/b", "text/html") {
      let data = Coder.base64(#"{"user":"ada","refresh_token":"\#($0)"}"#)
      return Array("<script src=\"data:application/json;base64,\(data)\"></script>".utf8)
    },
    coded(65740, "base64 of addresses in a state", "/base64/c", json) {
      let state = Coder.base64url(#"{"next":"/","csrf_token":"\#($0)"}"#)
      return Array(#"{"authorize":"https://id.example.test/a?state=\#(state)"}"#.utf8)
    },
    coded(65750, "gzip in base64 in JSON", "/base64/d", json) {
      let data = Packed.gzip(#"{"user":"ada","password":"\#($0)"}"#).base64EncodedString()
      return Array(#"{"encoding":"gzip+base64","data":"\#(data)"}"#.utf8)
    },
    coded(65760, "deflate in base64 in XML", "/base64/e", "application/xml") {
      let data = Packed.deflate("<a><clientSecret>\($0)</clientSecret></a>").base64EncodedString()
      return Array("<state enc=\"deflate\">\(data)</state>".utf8)
    },
    coded(65770, "JSON thrice", "/json/a", json) {
      let quote = #"\\\""#
      return Array(
        #"{"a":"{\"b\":\"{\#(quote)api_secret\#(quote):\#(quote)\#($0)\#(quote)}\"}"}"#.utf8
      )
    },
    coded(65780, "serialised PHP", "/php/a", plain) {
      Array("a:2:{s:4:\"user\";s:3:\"ada\";s:8:\"password\";s:\($0.count):\"\($0)\";}".utf8)
    },
  ]
}
