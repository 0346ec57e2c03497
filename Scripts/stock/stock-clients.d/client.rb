# Drives one Ruby HTTP library for all calls of a drill: client.rb LIBRARY
# Each line of standard input is a call, and each line of standard output its result. A library is used at its
# defaults; a name with "+" adds the retries of its documentation. The check for success is the library's own.
require 'json'

# The authority of the run, for libraries that read it from no variable.
AUTHORITY = ENV['SSL_CERT_FILE']

def checked(status, body)
  raise "status #{status}" unless (200..299).cover?(status)

  [status, body]
end

def faraday(retries: nil)
  require 'faraday'
  connection = Faraday.new do |builder|
    builder.request(:retry, **retries) if retries
    builder.response :raise_error
    builder.adapter Faraday.default_adapter
  end
  lambda do |method, url, headers, body|
    response = connection.run_request(method.downcase.to_sym, url, body, headers)
    checked(response.status, response.body)
  end
end

def excon(**retries)
  require 'excon'
  lambda do |method, url, headers, body|
    options = %w[GET HEAD].include?(method) ? retries : {}
    response = Excon.new(url, **options).request(method: method, headers: headers, body: body, expects: (200..299).to_a)
    [response.status, response.body]
  end
end

LIBRARIES = {
  'net-http' => lambda do
    require 'net/http'
    lambda do |method, url, headers, body|
      uri = URI(url)
      request = Net::HTTP.const_get(method.capitalize).new(uri, headers)
      request.body = body if body
      response = Net::HTTP.start(uri.hostname, uri.port, use_ssl: uri.scheme == 'https') { |http| http.request(request) }
      response.value
      [response.code.to_i, response.body]
    end
  end,
  'open-uri' => lambda do
    require 'open-uri'
    ->(_, url, headers, _) { URI.parse(url).open(headers) { |file| [file.status[0].to_i, file.read] } }
  end,
  'rest-client' => lambda do
    require 'rest-client'
    lambda do |method, url, headers, body|
      response = RestClient::Request.execute(method: method.downcase.to_sym, url: url, headers: headers, payload: body)
      [response.code, response.body]
    end
  end,
  'faraday' => -> { faraday },
  'faraday+retry' => lambda do
    faraday(retries: { max: 2, interval: 0.05, interval_randomness: 0.5, backoff_factor: 2 })
  end,
  'excon' => -> { excon },
  'excon+idempotent' => -> { excon(idempotent: true, retry_limit: 6, retry_interval: 5) },
  'http.rb' => lambda do
    require 'http'
    lambda do |method, url, headers, body|
      response = HTTP.headers(headers).request(method.downcase.to_sym, url, body: body)
      raise "status #{response.status}" unless response.status.success?

      [response.code, response.to_s]
    end
  end,
  'httparty' => lambda do
    require 'httparty'
    lambda do |method, url, headers, body|
      response = HTTParty.public_send(method.downcase, url, headers: headers, body: body, format: :plain)
      checked(response.code, response.body)
    end
  end,
  'httpclient' => lambda do
    require 'httpclient'
    client = HTTPClient.new
    client.ssl_config.add_trust_ca(AUTHORITY) if AUTHORITY
    lambda do |method, url, headers, body|
      response = client.request(method, url, nil, body, headers)
      raise "status #{response.status}" unless HTTP::Status.successful?(response.status)

      [response.status, response.body]
    end
  end,
  'typhoeus' => lambda do
    require 'typhoeus'
    lambda do |method, url, headers, body|
      options = { method: method.downcase.to_sym, headers: headers, body: body, cainfo: AUTHORITY }.compact
      response = Typhoeus::Request.new(url, **options).run
      raise "#{response.return_message} #{response.code}" unless response.success?

      [response.code, response.body]
    end
  end
}.freeze

call = LIBRARIES.fetch(ARGV.shift).call
$stdout.sync = true
$stdin.each_line do |text|
  line = JSON.parse(text)
  next unless line['url']

  begin
    status, shown = call.call(line['method'], line['url'], line['headers'], line['body'])
    result = { ok: true, status: status, shown: shown.dup.force_encoding('UTF-8').scrub }
  rescue StandardError => e
    result = { ok: false, error: "#{e.class} #{e.message}".dup.force_encoding('UTF-8').scrub[0, 200] }
  end
  puts JSON.generate({ call: line['call'] }.merge(result))
end
