// SPDX-License-Identifier: MIT
#include "model/eliminate.h"

// x - a b; most products of large systems are zero and need no look at the graph
static carom_node less_product(carom_graph *graph, carom_node zero, carom_node x, carom_node a,
                               carom_node b) {
  if (a == zero || b == zero) return x;
  return carom_sub(graph, x, carom_mul(graph, a, b));
}

void carom_eliminate(carom_graph *graph, int n, const carom_node *A, carom_node *pivot,
                     carom_node *lower) {
  carom_node zero = carom_node_constant(graph, 0.0);
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      carom_node sum = A[i * n + j];
      for (int k = 0; k < j; k++) {
        if (lower[j * n + k] == zero) continue;
        carom_node scaled = carom_mul(graph, lower[j * n + k], pivot[k]);
        sum = less_product(graph, zero, sum, lower[i * n + k], scaled);
      }
      if (i == j)
        pivot[j] = sum;
      else
        lower[i * n + j] = carom_div(graph, sum, pivot[j]);
    }
  }
}

void carom_eliminated_solve(carom_graph *graph, int n, const carom_node *pivot,
                            const carom_node *lower, const carom_node *b, carom_node *x) {
  carom_node zero = carom_node_constant(graph, 0.0);
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int k = 0; k < i; k++)
      x[i] = less_product(graph, zero, x[i], lower[i * n + k], x[k]);
  }
  for (int i = 0; i < n; i++)
    x[i] = carom_div(graph, x[i], pivot[i]);
  for (int i = n - 1; i >= 0; i--)
    for (int k = i + 1; k < n; k++)
      x[i] = less_product(graph, zero, x[i], lower[k * n + i], x[k]);
}
