/// The formats of keys that providers issue: a prefix, and the number and kind of the following
/// letters.
///
/// The sources are the providers' documentation and the published rules of secret scanners
/// (gitleaks, TruffleHog, GitHub secret scanning).
struct KnownKey {
  /// The kind of letters after the prefix.
  enum Letters: Int, CaseIterable {
    case hexadecimal, capitals, word, dashed, dotted, base64, hash, plain, piped

    func contains(_ byte: UInt8) -> Bool {
      switch self {
      case .hexadecimal: byte.isASCIIDigit || 0x61...0x66 ~= byte
      case .capitals: byte.isASCIIDigit || 0x41...0x5A ~= byte
      case .plain: byte.isWord
      case .word: byte.isWord || byte == "_"
      case .dashed: byte.isWord || byte == "_" || byte == "-"
      case .dotted: byte.isWord || "_-.~".utf8.contains(byte)
      case .piped: byte.isWord || "_-|".utf8.contains(byte)
      case .base64: byte.isWord || "+/=_-".utf8.contains(byte)
      case .hash: byte.isWord || "+/=_-.,$:".utf8.contains(byte)
      }
    }
  }

  let kind: String
  let marks: [Bytes]
  let count: ClosedRange<Int>
  let letters: Letters

  private init(_ kind: String, _ marks: String, _ count: ClosedRange<Int>, _ letters: Letters) {
    self.kind = kind
    self.marks = marks.split(separator: " ").map { Bytes($0.utf8) }
    (self.count, self.letters) = (count, letters)
  }

  static let all: [KnownKey] = [
    // Clouds.
    KnownKey("aws-key", "AKIA ASIA ABIA ACCA", 16...16, .capitals),
    KnownKey("aws-key", "ABSK bedrock-api-key-", 60...300, .base64),
    KnownKey("google-key", "AIza", 35...35, .dashed),
    KnownKey("google-key", "GOCSPX-", 24...40, .dashed),
    KnownKey("google-key", "AQ.", 40...80, .dotted),
    KnownKey("google-token", "ya29. 1//0", 20...400, .dotted),
    KnownKey("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", 64...64, .hexadecimal),
    KnownKey("heroku-key", "HRKU-", 30...80, .dashed),
    KnownKey("fly-token", "fo1_ fm1_ fm1a_ fm1r_ fm2_", 30...1000, .base64),
    KnownKey("netlify-token", "nfp_ nfu_ nfo_ nfc_", 30...80, .word),
    KnownKey("supabase-key", "sbp_ sb_secret_", 20...80, .dashed),
    KnownKey("pulumi-token", "pul-", 40...40, .hexadecimal),
    KnownKey("openshift-token", "sha256~", 43...43, .dashed),
    KnownKey("scalingo-token", "tk-us-", 40...60, .dashed),
    KnownKey("tailscale-key", "tskey-", 12...120, .dashed),
    KnownKey("cloudflare-key", "v1.0-", 100...200, .dashed),
    KnownKey("alibaba-key", "LTAI", 12...24, .word),
    KnownKey("cloud-key", "AKID AKLT JDC_", 25...64, .plain),
    KnownKey("cloud-key", "bce-v3/ALTAK-", 50...80, .base64),
    KnownKey("yandex-key", "AQVN", 35...38, .dashed),
    KnownKey("yandex-token", "t1.9 y0_Ag y0__", 30...400, .dotted),
    KnownKey("vault-token", "hvs. hvb. hvr.", 20...300, .dashed),
    KnownKey("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", 30...80, .dotted),
    KnownKey("render-key", "rnd_", 20...60, .word),
    KnownKey("neon-key", "napi_", 40...80, .word),
    KnownKey("vercel-token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", 20...80, .word),
    KnownKey("infracost-key", "ico-", 32...32, .word),
    KnownKey("aiven-token", "AVNS_", 16...60, .dashed),
    KnownKey("prefect-key", "pnu_ pnb_", 30...60, .word),
    KnownKey("harness-token", "pat. sat.", 60...100, .dotted),
    KnownKey("ory-token", "ory_pat_ ory_at_ ory_st_ ory_rt_ ory_wak_", 20...200, .dashed),
    KnownKey("ory-token", "ory_apikey_", 20...200, .dashed),
    KnownKey("octopus-key", "API-", 26...36, .capitals),
    KnownKey("zuplo-key", "zpka_", 30...90, .word),
    KnownKey("ibm-token", "ApiKey-", 36...60, .dashed),
    KnownKey("cloudflare-key", "cfut_ cfat_ cfk_", 30...60, .word),
    KnownKey("deno-token", "ddp_ ddo_", 30...44, .plain),
    KnownKey("netbird-token", "nbp_", 30...44, .plain),
    KnownKey("tigris-key", "tsec_", 40...80, .dashed),
    KnownKey("dnsimple-token", "dnsimple_u_ dnsimple_a_ dnsimple_o_", 24...60, .word),
    KnownKey("hcaptcha-secret", "ES_", 32...32, .hexadecimal),
    KnownKey("turnstile-secret", "0x4AAAAAAA", 24...26, .dashed),
    KnownKey("infisical-token", "st.", 80...100, .dotted),
    KnownKey("maxmind-key", "mmk_", 20...60, .plain),
    KnownKey("adafruit-key", "aio_", 28...28, .plain),
    // Code.
    KnownKey("github-token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", 30...255, .word),
    KnownKey("gitlab-token", "glpat- gldt- glrt- glft- glptt- glsoat- glimt-", 18...400, .dotted),
    KnownKey("gitlab-token", "glagent- gloas- glcbt- glffct- glwt- GR1348941", 18...400, .dotted),
    KnownKey("bitbucket-token", "ATBB", 24...60, .word),
    KnownKey("bitbucket-token", "BBDC-", 40...48, .base64),
    KnownKey("atlassian-token", "ATATT3 ATCTT3 ATTA", 60...250, .base64),
    KnownKey("npm-token", "npm_", 36...36, .word),
    KnownKey("pypi-token", "pypi-", 50...255, .dashed),
    KnownKey("rubygems-key", "rubygems_", 48...48, .hexadecimal),
    KnownKey("clojars-token", "CLOJARS_", 60...60, .word),
    KnownKey("nuget-key", "oy2", 43...43, .word),
    KnownKey("crates-token", "cio", 32...32, .word),
    KnownKey("docker-token", "dckr_pat_ dckr_oat_", 20...60, .dashed),
    KnownKey("artifactory-key", "AKCp", 60...80, .word),
    KnownKey("artifactory-token", "cmVmdGtu cmVmd", 56...70, .word),
    KnownKey("buildkite-token", "bkua_ bkaj_ bkct_ bkpt_", 30...60, .word),
    KnownKey("circleci-token", "CCIPAT_ CCIPRJ_", 30...100, .word),
    KnownKey("sonar-token", "sqp_ squ_ sqa_", 40...40, .word),
    KnownKey("sourcegraph-token", "sgp_ sgd_ slk_", 40...90, .word),
    KnownKey("postman-key", "PMAK-", 50...70, .dashed),
    KnownKey("terraform-token", "atlasv1.", 60...80, .dashed),
    KnownKey("jetbrains-token", "perm: perm-", 40...160, .hash),
    KnownKey("launchdarkly-key", "sdk- api- mob-", 36...36, .dashed),
    KnownKey("snyk-token", "snyk_uat. snyk_sat.", 30...200, .dotted),
    KnownKey("linear-key", "lin_api_ lin_oauth_ lin_wh_", 32...64, .word),
    KnownKey("readme-key", "rdme_", 60...80, .word),
    KnownKey("wakatime-key", "waka_", 36...36, .dashed),
    KnownKey("checkly-key", "cu_", 32...32, .hexadecimal),
    KnownKey("shopify-token", "shpat_ shpss_ shpca_ shppa_ shpua_ shptka_", 32...32, .hexadecimal),
    KnownKey("packagist-token", "packagist_ort_ packagist_out_ packagist_uut_", 30...90, .word),
    KnownKey("openvsx-token", "ovsxp_ ovsxat_", 30...60, .dashed),
    KnownKey("modrinth-token", "mrp_ mra_", 40...70, .word),
    KnownKey("lichess-token", "lip_ lio_", 20...30, .plain),
    KnownKey("riot-key", "RGAPI-", 36...36, .dashed),
    KnownKey("intra-secret", "s-s4t2ud- u-s4t2ud-", 64...64, .hexadecimal),
    KnownKey("stytch-secret", "secret-live- secret-test-", 30...60, .base64),
    KnownKey("valtown-token", "vtwn_", 24...60, .word),
    KnownKey("rootly-token", "rootly_", 60...70, .hexadecimal),
    // Messages.
    KnownKey("slack-token", "xoxa- xoxb- xoxp- xoxr- xoxs- xoxe- xoxe. xoxo-", 10...300, .dotted),
    KnownKey("slack-token", "xoxc- xoxd- xapp- xwfp-", 10...300, .dotted),
    KnownKey("sendgrid-key", "SG.", 60...80, .dotted),
    KnownKey("brevo-key", "xkeysib- xsmtpsib-", 60...100, .dashed),
    KnownKey("mailgun-key", "key-", 32...32, .hexadecimal),
    KnownKey("twilio-key", "SK", 32...32, .hexadecimal),
    KnownKey("notion-token", "secret_ ntn_", 40...50, .word),
    KnownKey("figma-token", "figd_ figo_ figu_", 30...60, .dashed),
    KnownKey("airtable-token", "pat", 79...82, .dotted),
    KnownKey("typeform-token", "tfp_", 40...70, .dotted),
    KnownKey("hubspot-token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", 36...36, .dashed),
    KnownKey("contentful-token", "CFPAT-", 40...60, .dashed),
    KnownKey("resend-key", "re_", 30...40, .word),
    KnownKey("frameio-token", "fio-u-", 64...64, .dashed),
    KnownKey("asana-token", "1/12 2/12", 25...60, .hash),
    KnownKey("facebook-token", "EAAC EAAB EAAG EAAM EAAJ EAAD IGAA THAA", 60...400, .word),
    KnownKey("intercom-token", "dG9r", 50...70, .base64),
    KnownKey("calendar-address", "private-", 32...32, .hexadecimal),
    KnownKey("mailersend-token", "mlsn.", 60...70, .hexadecimal),
    KnownKey("onesignal-key", "os_v2_app_ os_v2_org_", 60...110, .word),
    KnownKey("telnyx-key", "KEY01", 50...56, .dashed),
    KnownKey("zoho-token", "1000.", 65...65, .dotted),
    KnownKey("klaviyo-key", "pk_", 34...34, .hexadecimal),
    KnownKey("cal-key", "cal_live_ cal_test_", 32...32, .hexadecimal),
    KnownKey("pinterest-token", "pina_", 40...120, .word),
    KnownKey("samsara-token", "samsara_api_", 30...40, .word),
    KnownKey("linkedin-secret", "WPL_AP1. WPL_AP0.", 20...40, .hash),
    KnownKey("tiktok-token", "act. rft. clt.", 40...90, .plain),
    KnownKey("vk-token", "vk1.a. vk2.a.", 80...300, .dashed),
    KnownKey("dropbox-token", "sl.u. sl.A sl.B", 100...2000, .dashed),
    // Money.
    KnownKey("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_org_", 16...255, .word),
    KnownKey("stripe-secret", "pi_ seti_", 50...60, .word),
    KnownKey("webhook-secret", "whsec_", 20...100, .base64),
    KnownKey("square-token", "EAAA", 56...68, .dashed),
    KnownKey("square-token", "sq0atp- sq0csp-", 20...60, .dashed),
    KnownKey("flutterwave-key", "FLWSECK- FLWSECK_TEST- FLWSECK_LIVE-", 30...60, .dashed),
    KnownKey("easypost-key", "EZAK EZTK", 54...54, .word),
    KnownKey("shippo-token", "shippo_live_ shippo_test_", 40...40, .hexadecimal),
    KnownKey("duffel-token", "duffel_live_ duffel_test_", 40...50, .base64),
    KnownKey("lob-key", "live_ test_", 35...35, .word),
    KnownKey("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", 40...80, .word),
    KnownKey("plaid-token", "access-sandbox- access-production-", 36...36, .dashed),
    KnownKey("plaid-token", "access-development-", 36...36, .dashed),
    KnownKey("polar-token", "polar_oat_ polar_pat_", 30...80, .word),
    KnownKey("adyen-key", "AQE", 60...400, .base64),
    KnownKey("mollie-key", "live_ test_", 30...30, .plain),
    KnownKey("amazon-token", "amzn.mws.", 36...36, .dashed),
    KnownKey("checkout-key", "sk_sbox_", 24...40, .word),
    KnownKey("woocommerce-key", "ck_ cs_", 40...40, .hexadecimal),
    KnownKey("mercadopago-token", "APP_USR- TEST-", 60...90, .dashed),
    // Models.
    KnownKey("api-key", "sk- csk- nvapi- gsk_ fw_ tgp_v1_ pcsk_ jina_ voyage-", 30...255, .dashed),
    KnownKey("api-key", "hf_ api_org_", 30...64, .word),
    KnownKey("replicate-token", "r8_", 37...40, .dashed),
    KnownKey("perplexity-key", "pplx-", 40...64, .word),
    KnownKey("langsmith-key", "lsv2_pt_ lsv2_sk_ ls__", 30...60, .word),
    KnownKey("xai-key", "xai-", 60...100, .word),
    KnownKey("tavily-key", "tvly-", 20...60, .dashed),
    KnownKey("api-key", "llx- esecret_ apify_api_ bb_live_ wandb_v1_ unkey_", 30...120, .dashed),
    KnownKey("api-key", "sk_ e2b_ fc-", 32...64, .hexadecimal),
    KnownKey("api-key", "as- ak-", 22...22, .plain),
    KnownKey("api-key", "pa- nk-", 43...43, .dashed),
    KnownKey("api-key", "npg_ chpt_ tly- tr_prod_ tr_dev_ api_live. depot_org_", 16...64, .plain),
    KnownKey("api-key", "sktsec_ Mid-server- endr+ pdus+_ pdeu+_ ctx7sk- dnkey-", 16...90, .dashed),
    KnownKey("api-key", "LLM|", 30...80, .piped),
    // Data.
    KnownKey("databricks-token", "dapi dkea dose", 32...36, .dashed),
    KnownKey("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", 30...70, .dotted),
    KnownKey("astra-token", "AstraCS:", 60...120, .hash),
    KnownKey("dbt-token", "dbtc_ dbts_ dbtu_", 30...80, .base64),
    KnownKey("grafana-token", "glsa_ glc_", 30...400, .base64),
    KnownKey("newrelic-key", "NRAK- NRII- NRJS- NRAL- NRIQ- NRSP- NRRA-", 20...42, .dashed),
    KnownKey("sentry-token", "sntrys_ sntryu_", 60...400, .base64),
    KnownKey("posthog-key", "phx_", 30...60, .word),
    KnownKey("dynatrace-token", "dt0c01. dt0s01. dt0s02. dt0s16. dt0a01.", 60...100, .dotted),
    KnownKey("okta-token", "00", 40...40, .dashed),
    KnownKey("elastic-key", "essu_", 30...120, .base64),
    KnownKey("clickhouse-key", "4b1d", 38...38, .plain),
    KnownKey("confluent-key", "cflt", 60...64, .base64),
    KnownKey("cockroach-key", "CCDB1_", 40...70, .word),
    KnownKey("convex-key", "prod:", 60...200, .hash),
    KnownKey("mongodb-secret", "mdb_sa_sk_", 30...60, .dashed),
    KnownKey("xata-key", "xau_", 30...60, .word),
    KnownKey("logfire-token", "pylf_v1_us_ pylf_v1_eu_", 30...60, .word),
    KnownKey("honeycomb-key", "hcaik_ hcaic_ hcxik_ hcbik_ hcalk_", 40...80, .word),
    KnownKey("axiom-token", "xaat- xapt- xait-", 36...36, .dashed),
    KnownKey("growthbook-key", "secret_admin_ secret_readonly_ secret_user_", 30...60, .word),
    // Others.
    KnownKey("paseto", "v1.local. v2.local. v3.local. v4.local. v1.public.", 40...2000, .dotted),
    KnownKey("paseto", "v2.public. v3.public. v4.public.", 40...2000, .dotted),
    KnownKey("braintree-token", "access_token$production$ access_token$sandbox$", 40...60, .hash),
    KnownKey("swarm-token", "SWMTKN-1-", 70...100, .dashed),
    KnownKey("mapbox-token", "sk.eyJ tk.eyJ", 60...300, .dotted),
    KnownKey("bitcoin-key", "xprv yprv zprv tprv", 100...112, .word),
    KnownKey("nostr-key", "nsec1", 58...58, .word),
    KnownKey("adobe-secret", "p8e- p8-", 28...40, .dashed),
    KnownKey("age-key", "AGE-SECRET-KEY-1", 58...58, .capitals),
    KnownKey("onepassword-token", "ops_eyJ", 100...1200, .base64),
    KnownKey("onepassword-key", "A3-", 28...40, .dashed),
    KnownKey("password-hash", "$2a$ $2b$ $2y$ $argon2i $argon2d $6$ $5$ $8$ $9$", 20...300, .hash),
    KnownKey("password-hash", "$apr1$ $y$ $pbkdf2 $scrypt$ bcrypt_sha256$", 20...300, .hash),
    KnownKey("password-hash", "pbkdf2_sha256$ pbkdf2_sha1$ scrypt:", 40...300, .hash),
    KnownKey("wireguard-key", "wg_", 43...44, .base64),
    KnownKey("bitcoin-key", "5H 5J 5K Kw Kx Ky Kz L1 L2 L3 L4 L5", 49...50, .word),
  ]

  /// The lists of prefixes that begin with the same two bytes, and the index of a list for each
  /// pair of bytes. The first list is empty.
  private static let marks: (numbers: [UInt16], lists: [[(mark: Bytes, key: KnownKey)]]) = {
    let marks = all.flatMap { key in key.marks.map { (mark: $0, key: key) } }
    let lists = Dictionary(grouping: marks) { Int($0.mark[0]) << 8 | Int($0.mark[1]) }
    var numbers = [UInt16](repeating: 0, count: 1 << 16)
    for (number, pair) in lists.keys.enumerated() { numbers[pair] = UInt16(number + 1) }
    return (numbers, [[]] + lists.values)
  }()

  /// A cache of the previous run for each kind of letters, because many keys may begin within one
  /// run.
  struct Runs {
    private var ranges = [Range<Int>](repeating: 0..<0, count: Letters.allCases.count)

    /// Returns the end of the run of letters that contains a position.
    mutating func end(of letters: Letters, _ place: Int, in bytes: Bytes) -> Int {
      let known = ranges[letters.rawValue]
      if known.contains(place) { return known.upperBound }
      var end = place
      while end < bytes.count, letters.contains(bytes[end]) { end += 1 }
      ranges[letters.rawValue] = place..<end
      return end
    }
  }

  /// Returns the key that begins at a position; `nil` if there is none.
  static func found(at place: Int, in bytes: Bytes, _ runs: inout Runs) -> Finding? {
    guard place + 1 < bytes.count else { return nil }
    let number = marks.numbers[Int(bytes[place]) << 8 | Int(bytes[place + 1])]
    for (mark, key) in marks.lists[Int(number)] where bytes[place...].starts(with: mark) {
      let start = place + mark.count
      // Reads at most one letter more than the maximum, not the rest of the text.
      let end = min(start + key.count.upperBound + 1, runs.end(of: key.letters, start, in: bytes))
      var rest = bytes[start..<end]
      // Punctuation at the end of a sentence is not part of the key.
      while let last = rest.last, ".,".utf8.contains(last) { rest.removeLast() }
      if key.count.contains(rest.count), isMixed(rest) {
        return Finding(place..<start + rest.count, key.kind)
      }
    }
    return nil
  }

  /// Whether the rest has digits or looks random. Words such as
  /// `key-of-all-the-things-of-this-house` are names.
  private static func isMixed(_ rest: ByteSlice) -> Bool {
    if rest.contains(where: { $0.isASCIIDigit }) { return true }
    // Mixed case in one long word.
    return rest.count >= 20 && rest.allSatisfy(\.isASCIILetter)
      && rest.contains { $0 != $0.asciiLowercased } && rest.contains { 0x61...0x7A ~= $0 }
      || TextShape.isDrawn(rest.text)
  }

  /// Words that announce a key: `acme_sk_…`, `my-api-key-…`, `foo_pat_…`.
  private static let words: Words = """
    sk pat apikey token tok secret sec pw oauth key privkey srt usk ssk rt accesstoken apitoken ek
    dtn crsr fhb signkey sess m0 rpa rps ucat da2 alcht phs xnd kgat plainapikey ptk jsrd
    """

  /// Returns a word in which one part announces a key and the last part is long and looks random;
  /// `nil` if there is none.
  static func named(at place: Int, in bytes: Bytes) -> Finding? {
    let word = bytes.run(from: place, most: 200, while: Letters.dashed.contains)
    guard 28..<200 ~= word.count else { return nil }
    let parts = word.split { $0 == "_" || $0 == "-" }
    guard 2...6 ~= parts.count, let last = parts.last, last.count >= 20,
      parts.dropLast().allSatisfy({ $0.count <= 12 }),
      parts.dropLast().contains(where: { words.contains($0.lowercasedText) }),
      last.contains(where: \.isASCIIDigit), last.contains(where: \.isASCIILetter),
      TextShape.isDrawn(last.text)
    else { return nil }
    return Finding(word.indices, "named-key")
  }

  /// The rows of the table, one for each kind, in the order of the keys.
  static var rows: [DetectionRow] {
    var kinds: [(key: KnownKey, finds: [(count: ClosedRange<Int>, marks: [Bytes])])] = []
    for key in all {
      let kind = kinds.firstIndex { $0.key.kind == key.kind } ?? kinds.count
      if kind == kinds.count { kinds.append((key, [])) }
      let last = kinds[kind].finds.count - 1
      if last >= 0, kinds[kind].finds[last].count == key.count {
        kinds[kind].finds[last].marks += key.marks
      } else {
        kinds[kind].finds.append((key.count, key.marks))
      }
    }
    return kinds.map { key, finds in
      let finds = finds.enumerated().map { index, find in
        let marks = find.marks.map { "`\($0.text)`" }
        let (least, most) = (find.count.lowerBound, find.count.upperBound)
        let count = least == most ? "\(least)" : "\(least) to \(most)"
        return "\(marks.joined(separator: ", ")) and \(count)\(index == 0 ? " letters" : "")"
      }
      let mark = key.marks[0].text
      let letters = key.letters.example(min(max(16, key.count.lowerBound), key.count.upperBound))
      return DetectionRow(key.kind, "known key")
        .finding(finds.joined(separator: "; ")).redacts(mark + letters, butNot: "\(mark) etc.")
    }
  }
}

extension KnownKey.Letters {
  /// Returns `count` letters that look random but are always the same.
  fileprivate func example(_ count: Int) -> String {
    let letters =
      switch self {
      case .hexadecimal: "7f3a09c1e58b2d64"
      case .capitals: "X7KQ9VLW2PZR4TNB"
      default: "x7Kq9vLw2PzR4tNb"
      }
    return String(String(repeating: letters, count: count / 16 + 1).prefix(count))
  }
}
