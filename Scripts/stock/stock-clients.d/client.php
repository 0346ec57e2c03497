<?php
// Drives one PHP HTTP library for all calls of a drill: client.php LIBRARY
// Each line of standard input is a call, and each line of standard output its result. A library is used at its
// defaults; a name with "+" adds the retries of its documentation. The check for success is the library's own.

function lines(array $headers): array
{
    return array_map(fn ($name) => "$name: $headers[$name]", array_keys($headers));
}

function streams(): callable
{
    return function ($method, $url, $headers, $body) {
        $options = ['method' => $method, 'header' => lines($headers), 'content' => $body ?? ''];
        $text = @file_get_contents($url, false, stream_context_create(['http' => $options]));
        if ($text === false) {
            throw new Exception(error_get_last()['message'] ?? 'false');
        }
        return [200, $text];
    };
}

function curl(): callable
{
    $curl = curl_init();
    return function ($method, $url, $headers, $body) use ($curl) {
        curl_reset($curl);
        curl_setopt_array($curl, [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => lines($headers),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FAILONERROR => true,
        ]);
        if ($body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $body);
        }
        if (getenv('SSL_CERT_FILE')) {
            // libcurl reads the authority of the run from no variable.
            curl_setopt($curl, CURLOPT_CAINFO, getenv('SSL_CERT_FILE'));
        }
        $text = curl_exec($curl);
        if ($text === false) {
            throw new Exception(curl_error($curl));
        }
        return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $text];
    };
}

function guzzle(): callable
{
    require_once '/usr/share/php/GuzzleHttp/autoload.php';
    $client = new GuzzleHttp\Client(['verify' => getenv('SSL_CERT_FILE') ?: true]);
    return function ($method, $url, $headers, $body) use ($client) {
        $response = $client->request($method, $url, ['headers' => $headers, 'body' => $body]);
        return [$response->getStatusCode(), (string) $response->getBody()];
    };
}

function symfony(bool $retry = false): callable
{
    require_once '/usr/share/php/Symfony/Component/HttpClient/autoload.php';
    $authority = getenv('SSL_CERT_FILE');
    $client = Symfony\Component\HttpClient\HttpClient::create($authority ? ['cafile' => $authority] : []);
    if ($retry) {
        $client = new Symfony\Component\HttpClient\RetryableHttpClient($client);
    }
    return function ($method, $url, $headers, $body) use ($client) {
        $response = $client->request($method, $url, ['headers' => $headers, 'body' => $body ?? '']);
        return [$response->getStatusCode(), $response->getContent()];
    };
}

function symfony_retry(): callable
{
    return symfony(true);
}

$call = str_replace('+', '_', $argv[1])();
while (($text = fgets(STDIN)) !== false) {
    $line = json_decode($text, true);
    if (!isset($line['url'])) {
        continue;
    }
    try {
        [$status, $shown] = $call($line['method'], $line['url'], $line['headers'], ($line['body'] ?? '') ?: null);
        $result = ['ok' => true, 'status' => $status, 'shown' => $shown];
    } catch (Throwable $error) {
        $result = ['ok' => false, 'error' => substr(get_class($error) . ' ' . $error->getMessage(), 0, 200)];
    }
    echo json_encode(['call' => $line['call']] + $result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES), "\n";
}
