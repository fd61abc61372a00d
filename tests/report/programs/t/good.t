use Test::More tests => 2;
ok(1, 'one # of two');
ok(1, 'two');
