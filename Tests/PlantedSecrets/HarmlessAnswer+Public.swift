internal import WindTunnel

extension HarmlessAnswer {
  private static let open = "a key that everybody may know"

  static let publicKeys: [HarmlessAnswer] = [
    get(
      open,
      "a public key in PEM",
      "https://id.example.test/keys/signing.pem",
      """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\(Lot.draw(40_101, 28))
      \(Lot.draw(40_102, 58))==
      -----END PUBLIC KEY-----

      """,
      "application/x-pem-file"
    ),
    get(
      open,
      "the public keys of an issuer",
      "https://id.example.test/oauth2/v3/certs",
      """
      {"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"2026-11","e":"AQAB",\
      "n":"\(Lot.draw(40_103, 342))"},{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256",\
      "kid":"2026-12","x":"\(Lot.draw(40_104, 43))","y":"\(Lot.draw(40_105, 43))"},\
      {"kty":"OKP","crv":"Ed25519","kid":"ed-1","x":"\(Lot.draw(40_106, 43))"}]}
      """
    ),
    get(
      open,
      "the keys that a code host shows",
      "https://code.example.test/gale-bot.keys",
      """
      ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI\(Lot.draw(40_107, 43))
      ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ\(Lot.draw(40_108, 342))

      """,
      "text/plain"
    ),
    get(
      open,
      "the public key of pushed messages",
      "https://push.example.test/config",
      """
      {"vapidPublicKey":"B\(Lot.draw(40_109, 86))","publicKey":"B\(Lot.draw(40_110, 86))",\
      "key":{"algorithm":"P-256","public":true}}
      """
    ),
    get(
      open,
      "the certificate of an identity provider",
      "https://id.example.test/saml/metadata",
      """
      <md:KeyDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" use="signing">
        <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>
          <ds:X509Certificate>MIIC\(Lot.draw(40_111, 396))</ds:X509Certificate>
        </ds:X509Data></ds:KeyInfo>
      </md:KeyDescriptor>
      """,
      "application/samlmetadata+xml"
    ),
    get(
      open,
      "the key that seals secrets for a workflow",
      "https://code.example.test/repos/gale/gale/actions/secrets/public-key",
      #"{"key_id":"568250167242549743","key":"\#(Lot.draw(40_112, 43))="}"#
    ),
    get(
      open,
      "a key in armour",
      "https://keys.example.test/release.asc",
      """
      -----BEGIN PGP PUBLIC KEY BLOCK-----

      mDME\(Lot.draw(40_113, 60))
      \(Lot.draw(40_114, 62))=
      =\(Lot.draw(40_115, 4))
      -----END PGP PUBLIC KEY BLOCK-----

      """,
      "application/pgp-keys"
    ),
  ]

  private static let sum = "a checksum or a public name"

  private static func hex(_ seed: UInt64, _ count: Int) -> String {
    Lot.draw(seed, count, of: Lot.hexadecimal)
  }

  static let checksums: [HarmlessAnswer] = [
    get(
      sum,
      "checksums of a release",
      "https://files.example.test/gale/2.4.0/SHA256SUMS",
      """
      \(hex(40_201, 64))  gale-2.4.0.tar.gz
      \(hex(40_202, 64))  gale-2.4.0-password-hash.zip
      \(hex(40_203, 64))  token.wasm

      """,
      "text/plain"
    ),
    get(
      sum,
      "a package of a registry",
      "https://npm.example.test/gale/2.4.0",
      """
      {"name":"gale","version":"2.4.0","gitHead":"\(hex(40_204, 40))","dist":{\
      "shasum":"\(hex(40_205, 40))","integrity":"sha512-\(Lot.draw(40_206, 86))==",\
      "signatures":[{"keyid":"SHA256:\(Lot.draw(40_207, 43))","sig":"MEUCIQ\(Lot.draw(40_208, 88))"\
      }]},"dependencies":{"js-tokens":"^9.0.0","cookie":"^1.0.0"}}
      """
    ),
    get(
      sum,
      "a page whose scripts are sealed",
      "https://www.example.test/about",
      """
      <!doctype html>
      <title>About</title>
      <script src="/assets/token.js" crossorigin="anonymous"
        integrity="sha384-\(Lot.draw(40_209, 64))"></script>
      <link rel="stylesheet" href="/assets/session.css?v=\(hex(40_210, 8))">
      """,
      "text/html"
    ),
    get(
      sum,
      "a commit",
      "https://code.example.test/repos/gale/gale/commits/main",
      """
      {"sha":"\(hex(40_211, 40))","commit":{"tree":{"sha":"\(hex(40_212, 40))"},\
      "message":"Rotate the token once","verification":{"verified":true,"reason":"valid",\
      "signature":"-----BEGIN SSH SIGNATURE-----\\nU1NIU0lH\(Lot.draw(40_213, 62))\\n\
      -----END SSH SIGNATURE-----"}},"parents":[{"sha":"\(hex(40_214, 40))"}]}
      """
    ),
    get(
      sum,
      "a layer of an image",
      "https://images.example.test/v2/gale/manifests/2.4.0",
      """
      {"schemaVersion":2,"config":{"digest":"sha256:\(hex(40_215, 64))","size":7023},\
      "layers":[{"digest":"sha256:\(hex(40_216, 64))","size":32654}],\
      "annotations":{"key":"org.opencontainers.image.revision"}}
      """,
      "application/vnd.oci.image.manifest.v1+json"
    ),
    get(
      sum,
      "transactions of a chain",
      "https://chain.example.test/blocks/19000000",
      """
      {"number":19000000,"hash":"0x\(hex(40_217, 64))","parentHash":"0x\(hex(40_218, 64))",\
      "transactions":[{"hash":"0x\(hex(40_219, 64))","signature":"0x\(hex(40_220, 130))"}]}
      """
    ),
    get(
      sum,
      "public things with UUIDs",
      "https://music.example.test/ws/2/release/key-of-life",
      """
      {"id":"\(hex(40_221, 8))-\(hex(40_222, 4))-4\(hex(40_223, 3))-a\(hex(40_224, 3))-\
      \(hex(40_225, 12))","title":"In the Key of Gales","packaging":"Cardboard",\
      "label-info":[{"catalog-number":"GALE-0417"}],"session":"remaster"}
      """
    ),
    get(
      sum,
      "the spans of a trace",
      "https://traces.example.test/api/traces/sign-in",
      """
      {"traceID":"\(hex(40_226, 32))","spans":[{"spanID":"\(hex(40_227, 16))",\
      "operationName":"POST /token","tags":[{"key":"http.status_code","value":200},\
      {"key":"auth.method","value":"password"},{"key":"session.kind","value":"web"}]}]}
      """
    ),
    get(
      sum,
      "pins of a resolved package list",
      "https://code.example.test/raw/Package.resolved",
      """
      {
        "originHash" : "\(hex(40_228, 64))",
        "pins" : [
          {
            "identity" : "swift-token-bucket",
            "kind" : "remoteSourceControl",
            "state" : { "revision" : "\(hex(40_229, 40))", "version" : "1.2.0" }
          }
        ],
        "version" : 3
      }
      """
    ),
  ]
}
