internal import WindTunnel

extension HarmlessAnswer {
  private static let number = "a number or a switch"

  static let numbers: [HarmlessAnswer] = [
    get(
      number,
      "what a test run passed",
      "https://ci.example.test/api/runs/8812/summary",
      """
      {"suite": "checkout", "pass": 312, "fail": 0, "skip": 4, "duration_ms": 18211,
       "slowest": [{"name": "signs in with a wrong password", "pass": true, "ms": 941}]}
      """
    ),
    post(
      number,
      "the usage of a language model",
      "https://llm.example.test/v1/chat/completions",
      """
      {"model":"gale-2-mini","max_tokens":256,"temperature":0.2,"messages":[{"role":"user",\
      "content":"Name three winds of the Mediterranean."}]}
      """,
      """
      {"id":"chatcmpl-7","object":"chat.completion","created":1795305600,"model":"gale-2-mini",\
      "choices":[{"index":0,"message":{"role":"assistant","content":"Mistral, Bora, Sirocco."},\
      "finish_reason":"stop"}],"usage":{"prompt_tokens":17,"completion_tokens":12,\
      "total_tokens":29,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},\
      "completion_tokens_details":{"reasoning_tokens":0}}}
      """
    ),
    post(
      number,
      "the token counts of a messages endpoint",
      "https://llm.example.test/v1/messages/count_tokens",
      #"{"model":"gale-2","system":"Be brief.","messages":[{"role":"user","content":"Hello"}]}"#,
      #"{"input_tokens": 1812, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 1024}"#
    ),
    get(
      number,
      "a policy for passwords",
      "/v2/realms/staff/password-policy",
      """
      {
        "password_min_length": 12,
        "password_max_age_days": 90,
        "password_history": 5,
        "password_require_symbol": true,
        "password_expires": false,
        "session_timeout": 3600,
        "pin": {"length": 6, "attempts": 3},
        "secret_rotation_days": 30
      }
      """
    ),
    get(
      number,
      "which factors an account has",
      "/v1/me/security",
      """
      {"mfa_enabled":true,"has_password":false,"two_factor_auth":false,"sessions":4,"passkeys":2,\
      "recovery_codes_left":8,"api_keys":1,"pin":false,"password_changed_at":1788220800,\
      "auth":true,"token":null,"secret":null}
      """
    ),
    post(
      number,
      "sessions in a report of a web site",
      "https://stats.example.test/v1beta/properties/2204/runReport",
      """
      {"dateRanges":[{"startDate":"7daysAgo","endDate":"today"}],\
      "dimensions":[{"name":"sessionSource"}],\
      "metrics":[{"name":"sessions"},{"name":"sessionsPerUser"},{"name":"keyEvents"}]}
      """,
      """
      {"dimensionHeaders":[{"name":"sessionSource"}],"metricHeaders":[\
      {"name":"sessions","type":"TYPE_INTEGER"},{"name":"sessionsPerUser","type":"TYPE_FLOAT"},\
      {"name":"keyEvents","type":"TYPE_FLOAT"}],"rows":[{"dimensionValues":[{"value":"news"}],\
      "metricValues":[{"value":"48213"},{"value":"1.42"},{"value":"381"}]}],"rowCount":1,\
      "propertyQuota":{"tokensPerDay":{"consumed":11,"remaining":199989},\
      "tokensPerHour":{"consumed":11,"remaining":39989}}}
      """
    ),
    get(
      number,
      "Indian postal codes",
      "https://post.example.test/offices/Bengaluru",
      """
      [{"office": "Bangalore G.P.O.", "pin": 560001, "state": "Karnataka", "delivery": true},
       {"office": "Shivajinagar", "pin": 560051, "state": "Karnataka", "delivery": false}]
      """
    ),
    get(
      number,
      "the code of an error",
      "/v1/projects/nowhere",
      """
      {
        "error": {
          "code": 404,
          "message": "Requested entity was not found.",
          "status": "NOT_FOUND",
          "errors": [{"domain": "global", "reason": "notFound", "code": 40401}]
        }
      }
      """
    ),
    get(
      number,
      "the numbers of a scrape",
      "https://gate.example.test/metrics",
      """
      # HELP auth_tokens_issued_total Tokens issued since start.
      # TYPE auth_tokens_issued_total counter
      auth_tokens_issued_total{grant="password"} 4821
      auth_tokens_issued_total{grant="refresh_token"} 20117
      # TYPE http_sessions_active gauge
      http_sessions_active 17
      # TYPE secret_rotation_errors_total counter
      secret_rotation_errors_total 0
      password_hash_seconds_bucket{le="0.25"} 4790

      """,
      "text/plain; version=0.0.4"
    ),
    get(
      number,
      "the state of a key-value store",
      "https://cache.example.test/info",
      """
      # Stats\r
      keyspace_hits:48112\r
      keyspace_misses:391\r
      expired_keys:18\r
      acl_access_denied_auth:0\r
      # Keyspace\r
      db0:keys=412,expires=18,avg_ttl=0\r

      """,
      "text/plain"
    ),
    get(
      number,
      "passes of a football match",
      "https://sport.example.test/matches/2210/statistics",
      """
      {"match":2210,"home":{"pass":412,"pass_accuracy":0.87,"key_pass":11,"cross":14},\
      "away":{"pass":388,"pass_accuracy":0.81,"key_pass":7,"cross":19}}
      """
    ),
    get(
      number,
      "a table of weekly counts",
      "https://stats.example.test/export/weeks.csv",
      """
      week,sessions,tokens,pass,fail,sign_in,key
      2026-W45,48213,1812004,312,0,7711,1
      2026-W46,47990,1799210,309,3,7604,2

      """,
      "text/csv"
    ),
    get(
      number,
      "the times of a gateway's settings",
      "https://conf.example.test/raw/gateway.yaml",
      """
      auth:
        token_ttl: 900
        refresh_token_ttl: 86400
        password_hash_rounds: 12
        session: 30m
        csrf_token: true
        secret: no
        pin: off

      """,
      "application/yaml"
    ),
    get(
      number,
      "a report of unit tests",
      "https://ci.example.test/runs/8813/junit.xml",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="PasswordTests" tests="14" failures="0" pass="14" time="0.418">
        <properties><property name="token.count" value="12"/></properties>
        <testcase classname="PasswordTests" name="testTokenExpires" time="0.011"/>
      </testsuite>
      """,
      "application/xml"
    ),
    post(
      number,
      "counts that a graph answers",
      "https://graph.example.test/counts",
      #"{"query":"{ viewer { apiTokens { totalCount } sessionCount hasPin secretScanning } }"}"#,
      """
      {"data":{"viewer":{"apiTokens":{"totalCount":3},"sessionCount":1,"hasPin":false,\
      "secretScanning":true}}}
      """
    ),
    post(
      number,
      "a form of switches",
      "https://shop.example.test/admin/sign-in-rules",
      "pin_length=6&pin=on&password=optional&session_minutes=30&remember_token=false&otp=0",
      as: "application/x-www-form-urlencoded",
      #"{"saved":true,"pin":true,"password":"optional","session_minutes":30,"otp":false}"#
    ),
    get(
      number,
      "which ways in are on",
      "https://id.example.test/tenants/42/connections",
      """
      {"password":true,"magic_link":true,"passkey":true,"otp":"disabled","sso":{"saml":false},\
      "token_endpoint_auth":true,"password_grant":false,"signup":{"password_strength":3}}
      """
    ),
  ]
}
