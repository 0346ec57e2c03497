# Drives one Perl HTTP library for all calls of a drill: client.pl LIBRARY
# Each line of standard input is a call, and each line of standard output its result. A library is used at its
# defaults. The check for success is the library's own.
use strict;
use warnings;
use JSON::PP;

# Trust the authority of the run, which these libraries read from no variable, or from another one.
my $authority = $ENV{SSL_CERT_FILE};
$ENV{PERL_LWP_SSL_CA_FILE} = $authority if $authority;

my %libraries = (
  'LWP' => sub {
    require LWP::UserAgent;
    my $agent = LWP::UserAgent->new;
    return sub {
      my ($method, $url, $headers, $body) = @_;
      my $response = $agent->request(HTTP::Request->new($method, $url, [%$headers], $body));
      die $response->status_line unless $response->is_success;
      return ($response->code, $response->content);
    };
  },
  'HTTP::Tiny' => sub {
    require HTTP::Tiny;
    my $agent = HTTP::Tiny->new($authority ? (SSL_options => { SSL_ca_file => $authority }) : ());
    return sub {
      my ($method, $url, $headers, $body) = @_;
      my %options = (headers => $headers, defined $body ? (content => $body) : ());
      my $response = $agent->request($method, $url, \%options);
      die "$response->{status} $response->{reason}" unless $response->{success};
      return ($response->{status}, $response->{content});
    };
  },
  'Mojo' => sub {
    require Mojo::UserAgent;
    my $agent = Mojo::UserAgent->new;
    $agent->ca($authority) if $authority;
    return sub {
      my ($method, $url, $headers, $body) = @_;
      my $transaction = $agent->build_tx($method, $url, $headers, defined $body ? $body : ());
      my $result = $agent->start($transaction)->result;
      die $result->code unless $result->is_success;
      return ($result->code, $result->body);
    };
  },
  'Furl' => sub {
    require Furl;
    my $agent = Furl->new($authority ? (ssl_opts => { SSL_ca_file => $authority }) : ());
    return sub {
      my ($method, $url, $headers, $body) = @_;
      my $response = $agent->request(method => $method, url => $url, headers => [%$headers], content => $body);
      die $response->status_line unless $response->is_success;
      return ($response->code, $response->content);
    };
  },
);

my $call = $libraries{$ARGV[0]}->();
my $utf8 = JSON::PP->new->utf8->canonical;
$| = 1;
while (my $text = <STDIN>) {
  my $line = $utf8->decode($text);
  next unless $line->{url};
  my %result;
  my ($status, $shown) = eval { $call->($line->{method}, "$line->{url}", $line->{headers}, $line->{body}) };
  if ($@) {
    %result = (ok => JSON::PP::false, error => substr($@, 0, 200));
  } else {
    utf8::decode($shown);
    %result = (ok => JSON::PP::true, status => $status + 0, shown => $shown);
  }
  print $utf8->encode({ call => $line->{call}, %result }), "\n";
}
