internal import WindTunnel

extension HarmlessAnswer {
  private static let schema = "a word of a schema"

  static let schemas: [HarmlessAnswer] = [
    get(
      schema,
      "OpenAPI in JSON",
      "https://pets.example.test/openapi.json",
      """
      {"openapi":"3.1.0","info":{"title":"Pets","version":"1.4.0"},"paths":{"/login":{"post":{\
      "operationId":"login","requestBody":{"content":{"application/json":{"schema":{\
      "$ref":"#/components/schemas/Login"}}}},"responses":{"200":{"description":"A token"}}}}},\
      "components":{"schemas":{"Login":{"type":"object","required":["username","password"],\
      "properties":{"username":{"type":"string"},"password":{"type":"string",\
      "format":"password","minLength":8},"session":{"type":"boolean","default":false}}}},\
      "securitySchemes":{"bearerAuth":{"type":"http","scheme":"bearer","bearerFormat":"JWT"},\
      "apiKey":{"type":"apiKey","in":"header","name":"X-Api-Key"}}},\
      "security":[{"bearerAuth":[]},{"apiKey":[]}]}
      """
    ),
    get(
      schema,
      "OpenAPI in YAML",
      "https://pets.example.test/openapi.yaml",
      """
      openapi: 3.0.3
      components:
        schemas:
          Credentials:
            type: object
            required: [client_id, client_secret]
            properties:
              client_id: { type: string }
              client_secret: { type: string, format: password }
              token: { $ref: '#/components/schemas/Token' }
        securitySchemes:
          oauth:
            type: oauth2
            flows:
              password:
                tokenUrl: https://pets.example.test/oauth/token
                scopes: { 'pets:read': Read pets }

      """,
      "application/yaml"
    ),
    get(
      schema,
      "JSON Schema of a sign-up",
      "/schemas/sign-up.json",
      """
      {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["login", "password", "pin"],
        "properties": {
          "login": {"type": "string"},
          "password": {"type": "string", "minLength": 12, "writeOnly": true},
          "pin": {"type": "string", "pattern": "^[0-9]{4}$"},
          "secret": false,
          "token": {"enum": ["short", "long"]}
        }
      }
      """
    ),
    get(
      schema,
      "OpenID discovery",
      "https://id.example.test/.well-known/openid-configuration",
      """
      {"issuer":"https://id.example.test","authorization_endpoint":"https://id.example.test/auth",\
      "token_endpoint":"https://id.example.test/oauth2/token",\
      "end_session_endpoint":"https://id.example.test/logout",\
      "jwks_uri":"https://id.example.test/jwks","response_types_supported":["code","id_token",\
      "code id_token"],"grant_types_supported":["authorization_code","password",\
      "refresh_token"],"token_endpoint_auth_methods_supported":["client_secret_basic",\
      "client_secret_post","private_key_jwt"],"code_challenge_methods_supported":["S256"],\
      "id_token_signing_alg_values_supported":["RS256","ES256"],\
      "claims_supported":["sub","iss","auth_time","nonce","sid"],\
      "tls_client_certificate_bound_access_tokens":false}
      """
    ),
    post(
      schema,
      "a graph that tells its types",
      "https://graph.example.test/introspection",
      #"{"query":"{ __type(name: \"LoginInput\") { inputFields { name type { name kind } } } }"}"#,
      """
      {"data":{"__type":{"inputFields":[\
      {"name":"password","type":{"name":null,"kind":"NON_NULL"}},\
      {"name":"otp","type":{"name":"String","kind":"SCALAR"}},\
      {"name":"sessionToken","type":{"name":"String","kind":"SCALAR"}}]}}}
      """
    ),
    post(
      schema,
      "a graph that knows no such field",
      "https://graph.example.test/refusals",
      """
      {"operationName":"Me","query":"query Me { me { token password session { key } } }",\
      "variables":{}}
      """,
      """
      {"errors":[{"message":"Cannot query field \\"password\\" on type \\"User\\".",\
      "locations":[{"line":1,"column":23}],"path":["me","password"],\
      "extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}
      """
    ),
    get(
      schema,
      "a service in protobuf",
      "https://code.example.test/raw/auth.proto",
      """
      syntax = "proto3";
      package auth.v1;

      message SignInRequest {
        string login = 1;
        string password = 2 [debug_redact = true];
        optional string pin = 3;
      }
      message SignInResponse {
        string access_token = 1;
        string refresh_token = 2;
        int64 token_ttl = 3;
      }
      service Auth { rpc SignIn(SignInRequest) returns (SignInResponse); }

      """,
      "text/plain"
    ),
    get(
      schema,
      "a descriptor of messages",
      "https://grpc.example.test/v1/descriptors/auth.v1",
      """
      {"name":"auth/v1/auth.proto","package":"auth.v1","messageType":[{"name":"Token","field":[\
      {"name":"secret","number":1,"label":"LABEL_OPTIONAL","type":"TYPE_BYTES",\
      "jsonName":"secret"},{"name":"session_key","number":2,"type":"TYPE_STRING",\
      "jsonName":"sessionKey"}]}],"syntax":"proto3"}
      """
    ),
    get(
      schema,
      "the columns of a table",
      "https://db.example.test/schemas/public/tables/users/columns",
      """
      [{"column":"id","type":"bigint","key":"PRI","default":null},\
      {"column":"password","type":"varchar(60)","key":"","default":null},\
      {"column":"session","type":"uuid","key":"MUL","default":"gen_random_uuid()"},\
      {"column":"token","type":"text","key":"UNI","default":null}]
      """
    ),
    get(
      schema,
      "the statements of a migration",
      "https://code.example.test/raw/0007_tokens.sql",
      """
      CREATE TABLE api_tokens (
        id bigserial PRIMARY KEY,
        token_hash char(64) NOT NULL UNIQUE,
        secret text, -- never in the clear
        session_id uuid REFERENCES sessions (id)
      );
      ALTER TABLE users ADD COLUMN password varchar(60) NOT NULL DEFAULT '';
      CREATE INDEX users_pin ON users (pin) WHERE password IS NOT NULL;

      """,
      "application/sql"
    ),
    get(
      schema,
      "the mapping of a search index",
      "https://search.example.test/audit/_mapping",
      """
      {"audit":{"mappings":{"properties":{"token":{"type":"keyword","index":false},\
      "password":{"type":"boolean"},"session":{"properties":{"key":{"type":"keyword"}}},\
      "signature":{"type":"text","fields":{"keyword":{"type":"keyword"}}}}}}}
      """
    ),
    get(
      schema,
      "the types of a SOAP service",
      "https://soap.example.test/auth?wsdl",
      """
      <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
        <xs:element name="Login"><xs:complexType><xs:sequence>
          <xs:element name="UserName" type="xs:string"/>
          <xs:element name="Password" type="xs:string" minOccurs="1"/>
          <xs:element name="SessionToken" type="tns:Token"/>
        </xs:sequence></xs:complexType></xs:element>
      </xs:schema>
      """,
      "text/xml"
    ),
    get(
      schema,
      "the attributes of a SCIM user",
      "https://id.example.test/scim/v2/Schemas/User",
      """
      {"id":"urn:ietf:params:scim:schemas:core:2.0:User","name":"User","attributes":[\
      {"name":"password","type":"string","mutability":"writeOnly","returned":"never",\
      "required":false,"uniqueness":"none"},{"name":"x509Certificates","type":"complex"}]}
      """
    ),
    get(
      schema,
      "what a connector wants to know",
      "https://pipes.example.test/v1/connectors/weather/spec",
      """
      {"connectionSpecification":{"type":"object","required":["api_key"],"properties":{\
      "api_key":{"type":"string","title":"API key","airbyte_secret":true,"order":0},\
      "password":{"type":"string","title":"Password","examples":[]},\
      "token":{"oneOf":[{"const":"bearer"},{"const":"query"}]}}},"supportsIncremental":true}
      """
    ),
    get(
      schema,
      "the attributes of a provider",
      "https://registry.example.test/v1/providers/gale/schema",
      """
      {"provider":{"version":0,"block":{"attributes":{"token":{"type":"string","optional":true,\
      "sensitive":true,"description_kind":"plain"},"secret_key":{"type":"string",\
      "required":true,"sensitive":true},"endpoint":{"type":"string","optional":true}}}}}
      """
    ),
  ]

  private static let sample = "a sample with placeholders"

  static let samples: [HarmlessAnswer] = [
    get(
      sample,
      "a collection of requests with variables",
      "https://tools.example.test/collections/pets.json",
      """
      {"info":{"name":"Pets","schema":"https://schema.example.test/v2.1.0/collection.json"},\
      "auth":{"type":"bearer","bearer":[{"key":"token","value":"{{access_token}}",\
      "type":"string"}]},"item":[{"name":"List","request":{"method":"GET","header":[\
      {"key":"X-Api-Key","value":"{{api_key}}"}],"url":"{{base}}/pets?key={{key}}"}}],\
      "variable":[{"key":"access_token","value":""}]}
      """
    ),
    get(
      sample,
      "a sample of an environment",
      "https://code.example.test/raw/.env.example",
      """
      # Copy to .env and fill in.
      API_KEY=<your key>
      API_SECRET=
      SESSION_SECRET=<generate one>
      DATABASE_URL=postgres://${DB_USER}:${DB_PASSWORD}@localhost:5432/app
      TOKEN=${TOKEN}
      PASSWORD_MIN_LENGTH=12

      """,
      "text/plain"
    ),
    get(
      sample,
      "a composition of containers",
      "https://code.example.test/raw/compose.yaml",
      """
      services:
        db:
          image: postgres:17
          environment:
            POSTGRES_USER: app
            POSTGRES_PASSWORD: ${POSTGRES_PASSWORD}
            POSTGRES_PASSWORD_FILE: /run/secrets/db_password
        web:
          environment:
            - TOKEN=${TOKEN:?missing}
          secrets: [db_password]

      """,
      "application/yaml"
    ),
    get(
      sample,
      "a workflow that names its secrets",
      "https://code.example.test/raw/.github/workflows/deploy.yml",
      """
      permissions:
        id-token: write
      jobs:
        deploy:
          steps:
            - uses: actions/checkout@v5
              with:
                token: ${{ secrets.GITHUB_TOKEN }}
            - run: ./deploy --password "$PASSWORD"
              env:
                PASSWORD: ${{ secrets.DEPLOY_PASSWORD }}

      """,
      "text/plain"
    ),
    get(
      sample,
      "a workload that points to a secret",
      "https://kube.example.test/apis/apps/v1/namespaces/shop/deployments/web",
      """
      {"kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"web","env":[\
      {"name":"DB_PASSWORD","valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}],\
      "volumeMounts":[{"name":"tls-secret","mountPath":"/etc/tls"}]}],\
      "automountServiceAccountToken":false,"volumes":[{"name":"tls-secret",\
      "secret":{"secretName":"web-tls","defaultMode":420}}]}}}}
      """
    ),
    get(
      sample,
      "a template in TOML",
      "https://code.example.test/raw/settings.template.toml",
      """
      [auth]
      token = "{{ token }}"
      password = "<password>"
      session_cookie = "__Host-sid"
      secret = "%SECRET%"

      [tls]
      key = "certs/server.key"

      """,
      "application/toml"
    ),
    get(
      sample,
      "a call in a manual",
      "https://docs.example.test/quickstart.md",
      """
      # Quick start

      Create a token under **Settings › Tokens** and send it with each request:

          curl -H "Authorization: Bearer $TOKEN" https://api.example.test/v1/me
          curl "https://api.example.test/v1/me?api_key=YOUR_API_KEY"

      A password is never sent; see [signing in](signing-in.md).

      """,
      "text/markdown"
    ),
    get(
      sample,
      "a plan that hides its values",
      "https://infra.example.test/runs/77/plan.txt",
      """
      # gale_database.main will be updated in-place
      ~ resource "gale_database" "main" {
          name     = "main"
        ~ password = (sensitive value)
        + token    = (known after apply)
      }
      Plan: 0 to add, 1 to change, 0 to destroy.

      """,
      "text/plain"
    ),
    get(
      sample,
      "a report whose server filters",
      "https://errors.example.test/api/0/issues/3301/events/latest",
      """
      {"event":3301,"message":"Sign-in failed","request":{"method":"POST","data":{\
      "login":"[Filtered]","password":"[Filtered]","token":"***","pin":"","secret":null,\
      "key":"<redacted>"}},"tags":[["auth","password"],["session","none"]]}
      """
    ),
  ]
}
