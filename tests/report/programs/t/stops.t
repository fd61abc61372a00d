use Test::More tests => 3;
ok(1, 'before');
exit 0;
