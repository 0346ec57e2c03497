# A suite of three tests that writes JUnit XML, for sh -c; {url} is the server's address.
t() {
  printf '<testcase classname="T" name="%s">' $1
  eval "$2" || echo '<failure message="&lt;"/>'
  echo '</testcase>'
}
{
  echo '<testsuite>'
  t a 'curl -sf {url}/a | grep -q "a.:1"'
  t b 'curl -sf {url}/b | grep -q b'
  t c 'curl -s {url}/c > c || true'
  echo '</testsuite>'
} >out.xml
echo >>runs
! grep -q failure out.xml
